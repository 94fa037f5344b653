/**
 * Writes vault.json and trader.json anew, after a change of their sources or of the interfaces. The compiler is no dependency of the project:
 * put the npm package solc 0.8.37 into a folder and name it:
 * `node test/precompiles/contracts/compile.ts /path/to/node_modules/solc`.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'

interface Compiler {
  version(): string
  compile(input: string): string
}
interface Output {
  readonly errors?: readonly { readonly formattedMessage: string }[]
  readonly contracts?: Readonly<Record<string, Record<string, { abi: unknown; evm: { bytecode: { object: string } } }>>>
}

const here = (name: string): string => join(import.meta.dirname, name)
const interfaces = join(import.meta.dirname, '../../../packages/precompiles/solidity')
const read = (file: string): { readonly content: string } => ({ content: readFileSync(file, 'utf8') })
const solc = createRequire(import.meta.url)(resolve(process.argv[2] ?? 'solc')) as Compiler
const sources = {
  'vault.sol': read(here('vault.sol')),
  'native-token.sol': read(here('native-token.sol')),
  'trader.sol': read(here('trader.sol')),
  ...Object.fromEntries(
    readdirSync(interfaces)
      .filter((name) => name.endsWith('.sol'))
      .map((name) => [`@nat-chain/precompiles/solidity/${name}`, read(join(interfaces, name))]),
  ),
}
const output = JSON.parse(
  solc.compile(
    JSON.stringify({
      language: 'Solidity',
      sources,
      settings: {
        evmVersion: 'shanghai',
        optimizer: { enabled: true, runs: 200 },
        // The same bytes wherever it is compiled.
        metadata: { bytecodeHash: 'none', appendCBOR: false },
        outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
      },
    }),
  ),
) as Output
for (const { formattedMessage } of output.errors ?? []) console.error(formattedMessage)
for (const name of ['Vault', 'Trader']) {
  const file = name.toLowerCase()
  const contract = output.contracts?.[`${file}.sol`]?.[name]
  if (contract === undefined) process.exitCode = 1
  else {
    const artifact = { compiler: solc.version(), abi: contract.abi, bytecode: `0x${contract.evm.bytecode.object}` }
    writeFileSync(here(`${file}.json`), `${JSON.stringify(artifact, null, 2)}\n`)
  }
}
