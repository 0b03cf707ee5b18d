# make help: what there is to make.  make V=1: commands as they are run.
MAKEFLAGS += --no-builtin-rules
V = 0
# A word a file, but not of make -s.
say = @$(if $(findstring s,$(firstword -$(MAKEFLAGS)))$(filter 1,$(V)),:,echo) \
    '  $(1)'
ifneq ($(V),1)
.SILENT:
endif
CC = gcc
OPT = -O2 -g
WARN = -Wall -Wextra -Wpedantic -Wshadow -Werror
CFLAGS = -std=c11 -D_GNU_SOURCE $(OPT) $(WARN) -MMD -MP -I. -Isrc -Ibuild
LDLIBS = -lprotobuf-c -lzip -lelf -lm
CAPSTONE = -lcapstone
prefix = /usr/local
-include build/config.mk

SRC = $(filter-out src/dev/plugin/%,$(wildcard src/*/*.c src/*/*/*.c))
# The plain kernels, wide, for the compiler's own evaluator.
EVAL := $(shell tools/mkeval names $(wildcard kern/ref/*.c))
OBJ = $(SRC:%.c=build/%.o) $(EVAL:%=build/eval/%.o) build/eval/table.o \
    build/onnx.pb-c.o build/packed.o build/packdata.o
# What the binary carries: kernels, runtimes, chips.
PACK = $(sort $(shell find kern rt soc -type f ! -name '.*')) build/count.so
PROTO = /usr/include/onnx/onnx.proto

tilewright: $(OBJ) ## the program; needs no installation
	$(call say,LD $@)
	$(CC) $(OPT) $(LDFLAGS) -o $@ $(OBJ) $(LDLIBS)

build/%.o: %.c
	$(call say,CC $<)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -c -o $@ $<

# Products of many elements, which gcc makes vectors of only if told.
build/src/ir/sums.o: OPT = -O3 -g

build/packed.c build/packdata.S &: tools/pack $(PACK)
	$(call say,PACK build/packed.c)
	@mkdir -p build
	tools/pack build/packed.c build/packdata.S $(PACK)

build/packed.o: build/packed.c
	$(call say,CC $<)
	$(CC) $(CFLAGS) -c -o $@ $<

build/packdata.o: build/packdata.S $(PACK)
	$(call say,AS $<)
	$(CC) -c -o $@ $<

# QEMU loads it, which has no sanitizers.
build/count.so: $(wildcard src/dev/plugin/*.[ch])
	$(call say,CC $@)
	@mkdir -p build
	$(filter-out -f%,$(CC)) -std=c11 -O2 $(WARN) -shared -fPIC \
	    -fvisibility=hidden -s -o $@ $(filter %.c,$^) $(CAPSTONE)

build/onnx.pb-c.c: $(PROTO)
	$(call say,PROTOC $<)
	@mkdir -p build
	protoc-c --proto_path=$(dir $(PROTO)) --c_out=build $(PROTO)

build/onnx.pb-c.o: build/onnx.pb-c.c
	$(call say,CC $<)
	$(CC) $(filter-out $(WARN),$(CFLAGS)) -w -c -o $@ $<

# Drivers of tests, of test/PART/NAME.c.
vpath %.c $(wildcard test/*)
build/test/%: %.c $(filter-out build/src/cli/%,$(OBJ))
	$(call say,CC $<)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -o $@ $(filter %.c %.o,$^) $(LDFLAGS) $(LDLIBS)

# Of the plugin's models alone, which the program does not have.
build/test/timing: test/dev/timing.c src/dev/plugin/decode.c \
    src/dev/plugin/pipeline.c src/dev/plugin/cache.c
	$(call say,CC $<)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -o $@ $^ $(LDFLAGS) -lcapstone

# What measures with the program's own parts.
build/bench/%: bench/%.c $(filter-out build/src/cli/main.o,$(OBJ))
	$(call say,CC $<)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -o $@ $(filter %.c %.o,$^) $(LDFLAGS) $(LDLIBS)

build/test/simulate: test/sim/main.c build/src/cli/sim.o build/packed.o \
    build/packdata.o $(filter build/src/sim/% build/src/soc/% build/src/base/%,$(OBJ))
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -o $@ $(filter %.c %.o,$^) $(LDFLAGS) $(LDLIBS)

# The tree once more, as build/NAME, where all is built another way, as its
# build/config.mk says; there build/NAME is itself.
TREE = $(filter-out build tilewright,$(wildcard *))
again = [ -L build/$(1) ] || { mkdir -p build/$(1)/build && \
    ln -sfn .. build/$(1)/build/$(1) && rm -rf $(TREE:%=build/$(1)/%) && \
    cp -pr $(TREE) build/$(1) && printf '%s\n' $(2) >build/$(1)/build/config.mk && \
    $(MAKE) --no-print-directory -C build/$(1) $(3); }
SAN = -fsanitize=address,undefined -fno-sanitize-recover=all
TESTS = build/test/simulate $(sort $(shell grep -hs 'make -s' test/*/*.t test/run \
    test/front/fuzz | grep -o 'build/test/[a-z0-9_]*'))
# Tests in C but those that run on a simulated chip, whose main has no arguments,
# and one that is compiled with a project.
HOST_TESTS = $(filter-out test/gen/lm_words.c $(shell grep -L argc test/sim/*.c),$(wildcard test/*/*.c))

sanitize: ## build/san: all with ASan and UBSan
	+@$(call again,san,'CC = gcc $(SAN)' 'WARN = -w' 'OPT = -O1 -g1 -fno-tree-pta',\
	    tilewright)

check-sanitize: sanitize ## the tests there
	ASAN_OPTIONS=exitcode=99:detect_leaks=0 UBSAN_OPTIONS=exitcode=99 \
	    CCACHE_DIR="$${CCACHE_DIR:-$(CURDIR)/build/ccache}" \
	    HOSTCC='gcc $(SAN)' SANITIZED=1 $(MAKE) -C build/san check

clang: ## build/clang: all and the tests in C by clang, with the same warnings
	+@$(call again,clang,'CC = clang' 'OPT = -O0',\
	    tilewright $(TESTS) build/clang-tests)

build/clang-tests: $(HOST_TESTS) build/onnx.pb-c.c
	for f in $(HOST_TESTS); do \
	    $(CC) $(filter-out -MMD -MP,$(CFLAGS)) -Irt -Irt/host -fsyntax-only $$f || exit 1; \
	done
	touch $@

# All that tests ask for, so that no two of them make the same at a time.
programs: $(TESTS)

# Fuzzers (test/front/fuzz): the readers built by clang with sanitizers.
FUZZED = $(filter build/src/base/% build/src/ir/% build/src/front/% \
    build/onnx.pb-c.o,$(OBJ))
UNFUZZED = $(filter build/eval/% build/packed.o build/packdata.o,$(OBJ))
FUZZFLAGS = -O0 -g1 -fsanitize=fuzzer-no-link,address,undefined \
    -fno-sanitize-recover=undefined
build/fuzz/onnx build/fuzz/npz build/fuzz/tflite: WRAP = -Wl,--wrap=arena_new,--wrap=arena_end
build/fuzz/npz: WRAP += -Wl,--wrap=zip_open,--wrap=zip_discard

build/fuzz/%.o: %.c build/onnx.pb-c.c
	@mkdir -p $(@D)
	clang -std=c11 -D_GNU_SOURCE -MMD -MP -I. -Isrc -Ibuild $(FUZZFLAGS) \
	    -c -o $@ $<

build/fuzz/%: build/fuzz/test/front/fuzz_%.o $(FUZZED:build/%=build/fuzz/%) $(UNFUZZED)
	clang $(subst -no-link,,$(FUZZFLAGS)) -o $@ $^ $(WRAP) $(LDLIBS)

build/fuzz/onnx.pb-c.o: build/onnx.pb-c.c
	@mkdir -p $(@D)
	clang -Ibuild $(FUZZFLAGS) -c -o $@ $<

$(filter build/src/front/% build/src/ptq/%,$(OBJ)): build/onnx.pb-c.c

.SECONDEXPANSION:
$(EVAL:%=build/eval/%.c): build/eval/%.c: tools/mkeval kern/ref/$$(basename $$*).c
	@mkdir -p $(@D)
	@tools/mkeval one $* >$@

# Changes when a kernel comes or goes.
build/eval/names: FORCE
	@mkdir -p $(@D)
	@echo $(EVAL) | cmp -s - $@ || echo $(EVAL) >$@

build/eval/table.c: tools/mkeval build/eval/names
	$(call say,GEN $@)
	tools/mkeval table $(EVAL) >$@

build/eval/%.o: build/eval/%.c
	$(call say,CC $<)
	@$(CC) $(CFLAGS) -fwrapv -c -o $@ $<

deps: ## install what build and tests need (Debian)
	tools/deps

check: tilewright ## the tests (minutes)
	test/check

check-all: tilewright ## all cases of those of which check runs a part
	test/check all

check-long: tilewright ## these and the long ones
	tools/deps-python
	PART=1 test/check
	test/check long

bench: tilewright ## write bench/ledger.tsv anew
	bench/run

# The networks that are too large to be kept, in build/zoo.
zoo: build/zoo/made ## the networks too large to be kept

build/zoo/made: zoo/make.py zoo/mobilenet.py zoo/integer.py
	zoo/make.py build >&2
	@touch $@

install: tilewright ## to prefix, /usr/local; honours DESTDIR
	install -Dm755 tilewright $(DESTDIR)$(prefix)/bin/tilewright
	install -Dm644 doc/tilewright.1 $(DESTDIR)$(prefix)/share/man/man1/tilewright.1
	install -Dm644 doc/tilewright.bash \
	    $(DESTDIR)$(prefix)/share/bash-completion/completions/tilewright

dist: ## a program without libraries as tar.gz, and a Debian package
	tools/dist $(ARCH)

wheel: ## the Python package, with the program in it
	tools/wheel $(ARCH)

wc: ## lines of each file
	@wc -l src/*/*.[ch] src/*/*/*.[ch] src/*/*.def src/*/*/*.def kern/*/*.[chS] kern/*.* | sort -n

80: ## lines longer than 80 columns
	@grep -nE '^.{81,}' src/*/*.[ch] src/*/*/*.[ch] kern/*.h kern/*/*.[chS] rt/*.[ch] rt/*/*.[chS] || true

clean: ## remove what was built
	rm -rf build tilewright

help: ## these lines
	sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/make \1\t\2/p' Makefile | expand -t 22

.PHONY: sanitize check-sanitize clang programs deps check check-all check-long bench zoo install wc 80 clean help FORCE
-include $(OBJ:.o=.d) $(wildcard build/test/*.d)
