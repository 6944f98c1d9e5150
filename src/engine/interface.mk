# interface.mk: GPUSTR_ENGINE_ABI, the number of the contract between gpustr.so and
# gpustr_cuda.so.  Included by the Makefiles that compile an engine.
#
# It is a checksum of all headers that say what a batch, a program and an engine are, so
# that libraries of builds that differ in them are told apart and nobody has to
# remember a number.

INTERFACE_FOLDER := $(dir $(lastword $(MAKEFILE_LIST)))..
INTERFACE_HEADERS := $(sort $(wildcard $(INTERFACE_FOLDER)/batch/batch.h $(INTERFACE_FOLDER)/engine/engine.h \
	$(INTERFACE_FOLDER)/program/*.h $(INTERFACE_FOLDER)/rowfn/*.h))
GPUSTR_ENGINE_ABI := $(shell cat $(INTERFACE_HEADERS) | cksum | awk '{ print $$1 % 2147483647 }')
