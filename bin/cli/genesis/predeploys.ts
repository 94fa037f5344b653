/**
 * Contracts that tools expect on every chain, at their usual addresses with their usual code. A devnet has them from its first block.
 * predeploys.json says where each is from, under which licence, and the hash of its code on Ethereum.
 */
import { readFileSync } from 'node:fs'
import * as z from 'zod'
import type { GenesisDocument } from '../../node/genesis/document.ts'

const predeploy = z.object({
  name: z.string(),
  address: z.string(),
  licence: z.string(),
  source: z.string(),
  codeHash: z.string(),
  nonce: z.number(),
  storage: z.record(z.string(), z.string()),
  code: z.string(),
})

export type Predeploy = z.infer<typeof predeploy>

export const readPredeploys = (): readonly Predeploy[] =>
  z.array(predeploy).parse(JSON.parse(readFileSync(new URL('predeploys.json', import.meta.url), 'utf8')))

export const addPredeploys = (document: GenesisDocument): GenesisDocument => {
  const { evm } = document.app_state
  const accounts = readPredeploys().map(({ address, nonce, code, storage }) => ({
    address,
    nonce: nonce.toString(),
    code,
    storage,
  }))
  return { ...document, app_state: { ...document.app_state, evm: { ...(evm as object | undefined), accounts } } }
}
