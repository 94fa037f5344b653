/**
 * Compiles packages/bridge/solidity/NatBridge.sol by the pinned solc of npm, and writes packages/bridge/nat-bridge.json: compiler, ABI and
 * bytecode. `scripts/run.sh node scripts/bridge-contract.ts` after a change; test/e2e/bridge-contract.test.ts says when the file is stale.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

interface Compiler {
  version(): string
  compile(input: string): string
}
interface Contract {
  readonly abi: unknown
  readonly evm: { readonly bytecode: { readonly object: string } }
}
interface Output {
  readonly errors?: readonly { readonly formattedMessage: string }[]
  readonly contracts?: Readonly<Record<string, Readonly<Record<string, Contract>>>>
}

const NAME = 'NatBridge'
const FILE = `${NAME}.sol`
const here = (name: string): string => join(import.meta.dirname, '../packages/bridge', name)

export const COMPILED_PATH = here('nat-bridge.json')

/** The text of nat-bridge.json. Throws with the compiler's words, warnings among them. */
export const compileBridge = (): string => {
  const solc = createRequire(import.meta.url)('solc') as Compiler
  const input = {
    language: 'Solidity',
    sources: { [FILE]: { content: readFileSync(here(`solidity/${FILE}`), 'utf8') } },
    settings: {
      evmVersion: 'shanghai',
      viaIR: true,
      optimizer: { enabled: true, runs: 200 },
      // The same bytes wherever it is compiled.
      metadata: { bytecodeHash: 'none', appendCBOR: false },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
    },
  }
  const { errors = [], contracts } = JSON.parse(solc.compile(JSON.stringify(input))) as Output
  const contract = contracts?.[FILE]?.[NAME]
  if (errors.length > 0 || contract === undefined) {
    throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join('\n'))
  }
  const { abi, evm } = contract
  return `${JSON.stringify({ compiler: solc.version(), abi, bytecode: `0x${evm.bytecode.object}` }, null, 2)}\n`
}

if (import.meta.main) writeFileSync(COMPILED_PATH, compileBridge())
