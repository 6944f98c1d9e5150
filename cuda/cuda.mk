# cuda.mk: gpustr_cuda.so, the CUDA engine.  Included by the top Makefile.
#
#	CUDA_HOME=, NVCC=		where the CUDA toolkit is
#	CUDA_ARCHS="80 90"		architectures to compile for, ascending; there is
#							machine code for each, and PTX of the last for
#							what is newer
#
# Sets CUDA_OBJS, CUDA_GENCODE and CUDA_FLAGS; has the rules that compile and
# link.  The library exports nothing but its entry point, and takes nothing
# from gpustr.so: batch_check.c, check_join.c and program_cache.c are in both.

CUDA_HOME ?= /usr/local/cuda
NVCC ?= $(CUDA_HOME)/bin/nvcc
CUDA_ARCHS ?= 80 86 89 90

CUDA_GENCODE = $(foreach a,$(CUDA_ARCHS),-gencode arch=compute_$(a),code=sm_$(a)) \
	$(foreach a,$(lastword $(CUDA_ARCHS)),-gencode arch=compute_$(a),code=compute_$(a))
CUDA_FLAGS = -O3 -lineinfo -fmad=false -std=c++17 -Isrc -Icuda -DGPUSTR_VERSION='"$(EXTVERSION)"' \
	-DGPUSTR_ENGINE_ABI=$(GPUSTR_ENGINE_ABI) \
	-Xcompiler -fPIC,-fvisibility=hidden,-Wall,-Wextra \
	$(if $(filter no,$(WERROR)),,-Werror all-warnings) $(CUDA_GENCODE)

CUDA_OBJS = $(patsubst %.cu,%.o,$(sort $(wildcard cuda/*.cu))) cuda/batch_check_cuda.o \
	cuda/check_join_cuda.o cuda/program_cache_cuda.o

cuda/%.o: cuda/%.cu
	$(NVCC) $(CUDA_FLAGS) -c -o $@ $<

cuda/%_cuda.o: src/engine/%.c
	$(CC) -O2 -Wall -Wextra $(if $(filter no,$(WERROR)),,-Werror) -fPIC -fvisibility=hidden \
		-Isrc -c -o $@ $<

gpustr_cuda.so: $(CUDA_OBJS)
	$(NVCC) -shared -cudart static -Xlinker -Bsymbolic -o $@ $(CUDA_OBJS)
