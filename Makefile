# The commands people need. Each sets up what it needs by itself; see scripts/.

.PHONY: help setup demo test lint bench generate install clean

help:
	@echo "make demo      convert and sign generated PDFs against the sandbox"
	@echo "make test      set everything up and run all tests"
	@echo "make lint      formatters and linters, as errors"
	@echo "make bench     speed and memory against other programs (several minutes)"
	@echo "make generate  write the generated files anew"
	@echo "make install   build libsigndoc and install it (PREFIX=/usr/local)"
	@echo "make clean     remove what was built"

setup:
	@scripts/setup.sh test

demo:
	@scripts/setup.sh demo
	@scripts/demo.sh

test:
	@scripts/setup.sh test
	@scripts/test.sh

lint:
	@scripts/setup.sh test
	@scripts/lint.sh

bench:
	@scripts/setup.sh bench
	@scripts/bench.sh

generate:
	cargo xtask errors
	cargo xtask header

PREFIX ?= /usr/local
install:
	cargo build --release -p signdoc-ffi
	ffi/install.sh "$(PREFIX)"

clean:
	rm -rf target build demo .venv
