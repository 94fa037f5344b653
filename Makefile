# Every command sets up first what it needs; "make setup" does nothing when nothing is missing.
.PHONY: help setup test-setup devnet devnet-reset test test-units test-complete test-everywhere check format vectors bench soak proto bridge-demo
.DEFAULT_GOAL := help

RUN := scripts/run.sh
DEVNET_FLAGS = $(if $(EVM_CHAIN_ID),--evm-chain-id $(EVM_CHAIN_ID))

help: ## list the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-17s %s\n", $$1, $$2 }' Makefile

setup: ## install Node packages and CometBFT
	@scripts/setup.sh

test-setup:
	@scripts/setup.sh --with-test-clients

devnet: ## run a local chain with ten funded accounts (Ctrl-C stops it, run it again to resume); EVM_CHAIN_ID=n for a new one, ARGS="--flag value" for any flag
	@scripts/setup.sh
	@exec scripts/devnet.sh $(DEVNET_FLAGS) $(ARGS)

devnet-reset: ## forget the local chain and run a new one
	@scripts/setup.sh
	@exec scripts/devnet.sh --reset $(DEVNET_FLAGS) $(ARGS)

test: test-setup ## everything, with the clients that the tests drive the node with: checks, unit tests, vectors, end to end
	@exec $(RUN) node scripts/test.ts

test-units: ## the tests beside the code, which start no node: some five minutes on two cores
	@scripts/setup.sh
	@exec $(RUN) vitest run --project=shared --project=alone --exclude 'test/**'

test-complete: test-setup ## "make test", and a chosen few end to end over the other transport and the older line of CometBFT
	@exec $(RUN) node scripts/test.ts --complete

test-everywhere: test-setup ## every end-to-end test over both transports and both lines of CometBFT
	@exec $(RUN) node scripts/test.ts --everywhere

check: ## format, lint, types, directions of imports, generated code
	@scripts/setup.sh
	@exec $(RUN) node scripts/check.ts

format: ## format all sources
	@scripts/setup.sh
	@exec $(RUN) biome format --write .

vectors: ## every Ethereum state test: VECTORS=name selects bundles
	@scripts/setup.sh
	@exec $(RUN) node test/spec/all-vectors.ts $(VECTORS)

bench: ## benchmarks: BENCH=name runs one
	@scripts/setup.sh
	@exec $(RUN) node scripts/bench.ts $(BENCH)

soak: ## long runs under faults: SOAK_MINUTES=n, SOAK=name runs one
	@scripts/setup.sh
	@exec $(RUN) vitest run --config test/soak/vitest.config.ts $(SOAK)

bridge-demo: setup ## the bridge in both directions between anvil and a chain of its own
	@exec $(RUN) node examples/bridge-demo.ts

proto: ## generate the code of proto/ anew
	@scripts/setup.sh
	@exec $(RUN) node proto/generate.ts
