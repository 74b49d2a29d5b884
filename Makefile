# SPDX-License-Identifier: MIT
# Short names for the CMake presets. The work is in CMakeLists.txt and tools/.
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60

build:
	cmake --preset release
	cmake --build --preset release

run:
	tools/install-deps build
	$(MAKE) build
	tools/run-demo

test:
	tools/install-deps test
	cmake --preset dev
	cmake --build --preset dev
	ctest --test-dir build-test -j2 --output-on-failure

check:
	tools/install-deps test
	cmake --preset dev
	tools/check

asan:
	tools/install-deps test
	cmake --preset asan
	cmake --build --preset asan
	ctest --test-dir build-asan -j2 --output-on-failure

tsan:
	tools/install-deps test
	cmake --preset tsan
	cmake --build --preset tsan
	ctest --test-dir build-tsan -j2 --output-on-failure -L threads

conditions:
	tools/install-deps test
	cmake --preset dev
	cmake --build --preset dev
	tools/test-conditions $(CONDITIONS)

valgrind:
	tools/install-deps valgrind
	cmake --preset dev
	cmake --build --preset dev
	tools/valgrind

coverage:
	tools/install-deps test
	cmake --preset coverage
	cmake --build --preset coverage
	find build-coverage -name '*.gcda' -delete
	ctest --test-dir build-coverage -j2 --output-on-failure
	tools/coverage --least 95

fuzz:
	tools/install-deps test
	cmake --preset fuzz
	cmake --build --preset fuzz
	tools/fuzz $(FUZZ_SECONDS)

wheel:
	tools/install-deps wheel
	tools/make-wheel

install: build
	cmake --preset release -DCMAKE_INSTALL_PREFIX=$(PREFIX)
	DESTDIR=$(DESTDIR) cmake --install build
	@if [ -z "$(DESTDIR)" ] && [ "$$(id -u)" = 0 ]; then ldconfig; fi

clean:
	rm -rf build build-test build-asan build-tsan build-fuzz build-coverage dist

help:
	@echo "make           the program, at build/l2r"
	@echo "make run       installs what is missing, builds, trains a first model"
	@echo "make test      installs what is missing, builds with assertions, runs all tests"
	@echo "make check     formatting and static analysis"
	@echo "make asan      the tests under the address and undefined-behaviour sanitizers"
	@echo "make tsan      the tests that use threads under the thread sanitizer"
	@echo "make conditions  the tests at each vector width, on one core, as another user, on a slow disk, …: CONDITIONS=names"
	@echo "make valgrind  quick tests and some commands under valgrind"
	@echo "make coverage  the tests, counting the lines of src/ and app/ they reach; fails below 95 %"
	@echo "make fuzz      every fuzz target for FUZZ_SECONDS=60"
	@echo "make wheel     the Python package with all its libraries, in dist/, tested in a clean virtual environment"
	@echo "make install   into PREFIX=/usr/local, below DESTDIR if given"
	@echo "make clean     removes the build folders"

.PHONY: build run test check asan tsan conditions valgrind coverage fuzz wheel install clean help
