# The CUDA engine's objects, for the programs that test and measure kernels: those of
# gpustr_cuda.so themselves, made by the top Makefile, so that nothing is compiled twice
# and what is measured is what is shipped.  Included after ROOT is set.
#
# Sets ENGINE (their folder) and ENGINE_OBJS (all of them).

ENGINE = $(ROOT)/cuda
ENGINE_OBJS = $(patsubst %.cu,%.o,$(sort $(wildcard $(ENGINE)/*.cu)))

.PHONY: engine
engine:
	@$(MAKE) --no-print-directory -C $(ROOT) WITH_CUDA=yes $(ENGINE_OBJS:$(ROOT)/%=%)

$(ENGINE_OBJS): engine ;
