/** Finds the CometBFT binary and refuses a wrong one. The rule is that of scripts/environment.sh. */
import { execFile } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import * as z from 'zod'
import { cliError, errorText } from '../../errors.ts'

export const COMETBFT_VERSION = 'v0.40.0'

/**
 * What the lines v0.38 to v0.40 report, which speak the same. v0.40.0 reports 0.39.0 as its version: the protocols
 * decide. In one network all must be of one line (line-watch.ts).
 */
const WANTED = { abci: '2.0.0', block_protocol: 11, p2p_protocol: 8 } as const
const WANTED_TEXT = `ABCI ${WANTED.abci}, block protocol ${WANTED.block_protocol}, p2p protocol ${WANTED.p2p_protocol} (CometBFT v0.38 to v0.40, such as ${COMETBFT_VERSION})`

const versionReport = z.object({
  cometbft: z.string(),
  abci: z.string(),
  block_protocol: z.number(),
  p2p_protocol: z.number(),
})

const VERSION_TIMEOUT_MS = 10_000

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** What is wrong with a binary, or undefined when it is accepted. */
const refuseBinary = async (path: string): Promise<string | undefined> => {
  let output: string
  try {
    output = (await promisify(execFile)(path, ['version', '-v'], { timeout: VERSION_TIMEOUT_MS })).stdout
  } catch (error) {
    return `does not run: ${errorText(error).split('\n')[0] ?? ''}`
  }
  let report: unknown
  try {
    report = JSON.parse(output)
  } catch {
    return `reports "${output.trim().slice(0, 100)}" as its version`
  }
  const read = versionReport.safeParse(report)
  if (!read.success) return `reports ${JSON.stringify(report).slice(0, 200)} as its version`
  const { cometbft, abci, block_protocol, p2p_protocol } = read.data
  if (abci === WANTED.abci && block_protocol === WANTED.block_protocol && p2p_protocol === WANTED.p2p_protocol) {
    return undefined
  }
  return `is CometBFT ${cometbft}: ABCI ${abci}, block protocol ${block_protocol}, p2p protocol ${p2p_protocol}`
}

const candidates = (environment: Readonly<Record<string, string | undefined>>): readonly string[] => {
  const cache = environment['XDG_CACHE_HOME'] || join(homedir(), '.cache')
  return [
    ...(environment['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'cometbft')),
    join(cache, 'nat-chain', 'cometbft', COMETBFT_VERSION, 'cometbft'),
  ].filter(isExecutable)
}

/** `binary`, else COMETBFT_BINARY, else the PATH, else the cache. Throws cli/8 with what was found and what is wanted. */
export const findCometbft = async (
  environment: Readonly<Record<string, string | undefined>> = process.env,
  binary?: string,
): Promise<string> => {
  const named = binary ?? environment['COMETBFT_BINARY']
  const refused: string[] = []
  for (const path of named === undefined || named === '' ? candidates(environment) : [named]) {
    const reason = await refuseBinary(path)
    if (reason === undefined) return path
    refused.push(`${path} ${reason}`)
  }
  const found = refused.length === 0 ? 'no cometbft on the PATH' : refused.join('; ')
  throw cliError(
    'cometbft',
    `${found}; wanted is ${WANTED_TEXT}. "make setup" brings it, or name it in COMETBFT_BINARY`,
  )
}
