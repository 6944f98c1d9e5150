# What the Makefiles of the benchmarks of kernels have in common; included before
# the rules that say of which objects each of the PROGRAMS is.

ROOT = ../../..
CUDA_HOME ?= /usr/local/cuda
NVCC ?= $(CUDA_HOME)/bin/nvcc
CUDA_ARCHS ?= 80 86 89 90

NVCC_FLAGS = -O3 -lineinfo -fmad=false -std=c++17 -I$(ROOT)/src -I$(ROOT)/cuda -I$(ROOT)/test/bench \
	-Xcompiler -Wall,-Wextra -Werror all-warnings \
	$(foreach a,$(CUDA_ARCHS),-gencode arch=compute_$(a),code=sm_$(a)) $(NVCC_EXTRA)
HEADERS = $(wildcard *.cuh $(ROOT)/test/bench/*.cuh $(ROOT)/cuda/*.cuh $(ROOT)/src/rowfn/*.h $(ROOT)/src/program/*.h)

vpath %.c $(ROOT)/src/program

all: $(PROGRAMS)

include ../../engine_objects.mk

$(PROGRAMS):
	$(NVCC) $(NVCC_FLAGS) -cudart static -o $@ $^

%.o: %.cu $(HEADERS) Makefile
	$(NVCC) $(NVCC_FLAGS) -c -o $@ $<

%.o: %.c $(HEADERS) Makefile
	$(CC) -O2 -Wall -Wextra -Werror -I$(ROOT)/src -c -o $@ $<

clean:
	rm -f $(PROGRAMS) *.o

.PHONY: all clean
