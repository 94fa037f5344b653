/** Two votes of one validator for different blocks at one height, as CometBFT's RPC takes them for evidence. */
import { createPrivateKey, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sha256 } from '../../core/hash.ts'
import { bytesToUnprefixedHex } from '../../core/hex.ts'
import { utf8ToBytes } from '../../core/bytes.ts'
import { voteSignBytes } from './canonical.ts'
import type { TestNode } from './harness.ts'

// PrivateKeyInfo of an ed25519 key (RFC 8410) up to its 32 bytes.
const ED25519_PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')
const PRECOMMIT = 2

interface KeyFile {
  readonly address: string
  readonly priv_key: { readonly value: string }
}

interface Validators {
  readonly validators: readonly { readonly address: string; readonly voting_power: string }[]
}

const upper = (bytes: Uint8Array): string => bytesToUnprefixedHex(bytes).toUpperCase()

/** Gives `to` the evidence that the validator of `culprit` voted twice at `height`; returns the hash of the evidence. */
export const reportDoubleSign = async (culprit: TestNode, to: TestNode, height: number, chainId: string) => {
  const key = JSON.parse(readFileSync(join(culprit.home, 'config', 'priv_validator_key.json'), 'utf8')) as KeyFile
  const seed = Buffer.from(key.priv_key.value, 'base64').subarray(0, 32)
  const der = Buffer.concat([ED25519_PKCS8_PREFIX, seed])
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  const { validators } = await to.comet<Validators>(`validators?height=${height}&per_page=100`)
  const index = validators.findIndex(({ address }) => address === key.address)
  const { block } = await to.comet<{ block: { header: { time: string } } }>(`block?height=${height}`)
  const time = `${block.header.time.slice(0, 19)}Z`
  const seconds = BigInt(Date.parse(time) / 1_000)
  const votes = ['one block', 'another block'].map((name) => {
    const blockHash = sha256(utf8ToBytes(name))
    const partsHash = sha256(utf8ToBytes(`parts of ${name}`))
    const blockId = { hash: blockHash, parts: { total: 1, hash: partsHash } }
    const vote = { type: PRECOMMIT, height, round: 0, blockId, time: { seconds, nanos: 0 }, chainId }
    const signature = sign(null, voteSignBytes(vote), privateKey)
    return {
      blockHash,
      json: {
        type: PRECOMMIT,
        height: String(height),
        round: 0,
        block_id: { hash: upper(blockHash), parts: { total: 1, hash: upper(partsHash) } },
        timestamp: time,
        validator_address: key.address,
        validator_index: index,
        signature: signature.toString('base64'),
        extension: null,
        extension_signature: null,
      },
    }
  })
  // The vote for the smaller block id stands first.
  const [a, b] = votes.toSorted((x, y) => Buffer.compare(x.blockHash, y.blockHash)).map(({ json }) => json)
  const total = validators.reduce((sum, { voting_power }) => sum + BigInt(voting_power), 0n)
  const evidence = {
    type: 'tendermint/DuplicateVoteEvidence',
    value: {
      vote_a: a,
      vote_b: b,
      TotalVotingPower: total.toString(),
      ValidatorPower: validators[index]?.voting_power,
      Timestamp: block.header.time,
    },
  }
  const response = await fetch(to.urls.comet, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'broadcast_evidence', params: { evidence } }),
  })
  const reply = (await response.json()) as { result?: { hash: string }; error?: unknown }
  if (reply.result === undefined) throw new TypeError(`broadcast_evidence: ${JSON.stringify(reply.error)}`)
  return reply.result.hash
}
