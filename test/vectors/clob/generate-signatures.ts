/** Writes signatures.json: `node test/vectors/clob/generate-signatures.ts`. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from 'viem'
import { type Case, allCases } from './signature-cases.ts'
import { digestOf, domainOf, signBytesOf, signerOf, typedMessageOf } from './sign.ts'

const ABOUT =
  'Transactions of the order book. code 0: valid. code 15: statically valid, but the signer is not the agent or, where there ' +
  'is none, the owner. Any other code: not statically valid. message is that of EIP-712, also for schemes 2 and 3; domain ' +
  'is there for scheme 1, signBytes for 2 and 3. The private keys belong to nobody.'

/** Integers of 64 bits as decimal text. */
const jsonOf = (value: unknown): string =>
  `${JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? each.toString() : each), 2)}\n`

const signedPart = ({ chain, scheme, init, key, code }: Case) => {
  const digest = digestOf(init, scheme, chain)
  const signature = init.signature ?? new Uint8Array(0)
  return {
    message: typedMessageOf(init),
    ...(scheme === 1 ? { domain: domainOf(chain) } : { signBytes: bytesToHex(signBytesOf(init, chain)) }),
    digest: bytesToHex(digest),
    ...(code === 0 && key !== undefined ? { privateKey: bytesToHex(key) } : {}),
    signature: bytesToHex(signature),
    signer: bytesToHex(signerOf(signature, digest, scheme)),
  }
}

const vectorOf = (each: Case) => {
  const { name, chain, scheme, raw, code, phase, weight } = each
  const wire = { raw: bytesToHex(raw), hash: bytesToHex(sha256(raw)) }
  if (code !== 0 && code !== 15) return { name, code, ...wire }
  return { name, code, chain, scheme, ...wire, phase, weight, ...signedPart(each) }
}

export const generateSignatures = async (): Promise<string> =>
  jsonOf({ about: ABOUT, vectors: (await allCases()).map(vectorOf) })

if (import.meta.main) writeFileSync(join(import.meta.dirname, 'signatures.json'), await generateSignatures())
