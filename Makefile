# Names for the scripts; all that happens stands in scripts/.
PRESET := $(if $(CUDA),gpu-release,cpu-release)

PREFIX ?= /usr/local

.PHONY: build install package try-packages run test check sanitize fuzz soak hostile bench format
build:    ; @scripts/build.sh $(PRESET)
install:  ; @scripts/install_program.sh $(PRESET) $(PREFIX)
package:  ; @scripts/package.sh $(PRESET)
try-packages: ; @scripts/try_packages.sh
run:      ; @scripts/run.sh
test:     ; @scripts/test.sh
check:    ; @scripts/check.sh
sanitize: ; @scripts/sanitize.sh
fuzz:     ; @scripts/fuzz.sh $(or $(TEXTS),200000) $(or $(SECONDS),20)
soak:     ; @scripts/soak.sh $(or $(SECONDS),3600)
hostile:  ; @scripts/hostile.sh $(or $(SECONDS),600)
bench:    ; @scripts/bench_cpu.sh
format:   ; @scripts/format.sh
