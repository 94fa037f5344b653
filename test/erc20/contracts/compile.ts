/**
 * Writes tokens.json anew, after a change of tokens.sol. The compiler is no dependency of the project: put the npm package
 * solc 0.8.37 into a folder and name it: `node test/erc20/contracts/compile.ts /path/to/node_modules/solc`.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'

interface Compiler {
  version(): string
  compile(input: string): string
}
interface Output {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[]
  readonly contracts?: Readonly<Record<string, Record<string, { evm: { bytecode: { object: string } } }>>>
}

const here = (name: string): string => join(import.meta.dirname, name)
const solc = createRequire(import.meta.url)(resolve(process.argv[2] ?? 'solc')) as Compiler
const output = JSON.parse(
  solc.compile(
    JSON.stringify({
      language: 'Solidity',
      sources: { 'tokens.sol': { content: readFileSync(here('tokens.sol'), 'utf8') } },
      settings: {
        evmVersion: 'shanghai',
        optimizer: { enabled: true, runs: 200 },
        // The same bytes wherever it is compiled.
        metadata: { bytecodeHash: 'none', appendCBOR: false },
        outputSelection: { '*': { '*': ['evm.bytecode.object'] } },
      },
    }),
  ),
) as Output
for (const { formattedMessage } of output.errors ?? []) console.error(formattedMessage)
const contracts = output.contracts?.['tokens.sol']
if (contracts === undefined) process.exitCode = 1
else {
  const bytecode = Object.fromEntries(
    Object.entries(contracts).map(([name, { evm }]) => [name, `0x${evm.bytecode.object}`]),
  )
  writeFileSync(here('tokens.json'), `${JSON.stringify({ compiler: solc.version(), bytecode }, null, 2)}\n`)
}
