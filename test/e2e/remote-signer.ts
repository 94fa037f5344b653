/**
 * A signer of votes outside of CometBFT, which is asked over a unix socket (priv_validator_laddr): it may sign as it
 * likes. It signs whatever it is asked to, and so is of use in tests alone.
 */
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fromBinary, toBinary } from '@bufbuild/protobuf'
import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { createFrameDecoder, encodeFrame } from '../../abci/frames.ts'
import { setTomlValue } from '../../bin/node/config/toml-lines.ts'
import { invariant } from '../../core/errors.ts'
import { extensionSignBytes } from '../../core/vote-extension.ts'
import { cometTypes } from '../../proto/index.ts'
import { type BlockId, proposalSignBytes, type Timestamp, voteSignBytes } from './canonical.ts'
import type { TestNode } from './harness.ts'

/** The time between two attempts to reach a CometBFT that does not listen yet. */
const RETRY_MS = 50
const PRECOMMIT = 2

/** Fields of tendermint.privval.Message. */
const METHODS = { publicKey: 1, vote: 3, proposal: 5, ping: 7 } as const

export interface Signer {
  readonly publicKey: Uint8Array
  /** Signs votes and proposals. */
  sign(message: Uint8Array): Uint8Array
  signExtension(message: Uint8Array): Uint8Array
}

export interface RemoteSigner {
  /** How many extensions it has signed. */
  readonly extensions: number
  close(): Promise<void>
}

/** The private key of a home's validator, 32 bytes. */
export const validatorSeed = ({ home }: TestNode): Uint8Array => {
  const file = readFileSync(join(home, 'config', 'priv_validator_key.json'), 'utf8')
  const key = JSON.parse(file) as { readonly priv_key: { readonly value: string } }
  return Uint8Array.from(Buffer.from(key.priv_key.value, 'base64').subarray(0, 32))
}

const message = (field: number, content: Uint8Array): Uint8Array =>
  new BinaryWriter().tag(field, WireType.LengthDelimited).bytes(content).finish()

/** The fields of a message, all of them length-delimited. */
const readFields = (bytes: Uint8Array): ReadonlyMap<number, Uint8Array> => {
  const reader = new BinaryReader(bytes)
  const fields = new Map<number, Uint8Array>()
  while (reader.pos < reader.len) fields.set(reader.tag()[0], reader.bytes())
  return fields
}

const fieldOf = (fields: ReadonlyMap<number, Uint8Array>, field: number): Uint8Array => {
  const value = fields.get(field)
  invariant(value !== undefined, `field ${field} of a request to the signer is there`)
  return value
}

const blockIdOf = (id: cometTypes.BlockID | undefined): BlockId | undefined => {
  const parts = id?.partSetHeader
  if (id === undefined || parts === undefined || id.hash.length === 0) return undefined
  return { hash: id.hash, parts: { total: parts.total, hash: parts.hash } }
}

const common = (vote: cometTypes.Vote | cometTypes.Proposal, chainId: string) => {
  const { seconds = 0n, nanos = 0 } = vote.timestamp ?? {}
  const time: Timestamp = { seconds, nanos }
  return { height: Number(vote.height), round: vote.round, blockId: blockIdOf(vote.blockId), time, chainId }
}

const connectRetrying = async (path: string, isClosed: () => boolean): Promise<Socket | undefined> => {
  while (!isClosed()) {
    const socket = connect(path)
    try {
      await once(socket, 'connect')
      return socket
    } catch {
      socket.destroy()
      await sleep(RETRY_MS)
    }
  }
  return undefined
}

/** Answers the CometBFT of a node that has not started yet, and again whenever it restarts. */
export const startRemoteSigner = (node: TestNode, signer: Signer): RemoteSigner => {
  const path = join(node.folder, 'signer.sock')
  const config = join(node.home, 'config', 'config.toml')
  writeFileSync(config, setTomlValue(readFileSync(config, 'utf8'), 'priv_validator_laddr', `"unix://${path}"`))
  let extensions = 0
  let closed = false
  let socket: Socket | undefined

  const signVote = (fields: ReadonlyMap<number, Uint8Array>): Uint8Array => {
    const chainId = Buffer.from(fieldOf(fields, 2)).toString()
    const vote = fromBinary(cometTypes.VoteSchema, fieldOf(fields, 1))
    const shared = common(vote, chainId)
    vote.signature = signer.sign(voteSignBytes({ type: vote.type, ...shared }))
    if (vote.type === PRECOMMIT && shared.blockId !== undefined) {
      const { height, round } = shared
      vote.extensionSignature = signer.signExtension(
        extensionSignBytes({ extension: vote.extension, height, round, chainId }),
      )
      extensions++
    }
    return message(1, toBinary(cometTypes.VoteSchema, vote))
  }

  const signProposal = (fields: ReadonlyMap<number, Uint8Array>): Uint8Array => {
    const chainId = Buffer.from(fieldOf(fields, 2)).toString()
    const proposal = fromBinary(cometTypes.ProposalSchema, fieldOf(fields, 1))
    const bytes = proposalSignBytes({ ...common(proposal, chainId), polRound: proposal.polRound })
    proposal.signature = signer.sign(bytes)
    return message(1, toBinary(cometTypes.ProposalSchema, proposal))
  }

  const answer = (request: Uint8Array): Uint8Array => {
    const [[method, body] = [0, new Uint8Array(0)]] = readFields(request)
    switch (method) {
      case METHODS.publicKey:
        // A tendermint.crypto.PublicKey: field 1 is ed25519.
        return message(method + 1, message(1, message(1, signer.publicKey)))
      case METHODS.vote:
        return message(method + 1, signVote(readFields(body)))
      case METHODS.proposal:
        return message(method + 1, signProposal(readFields(body)))
      default:
        invariant(method === METHODS.ping, `a signer knows no method ${method}`)
        return message(method + 1, new Uint8Array(0))
    }
  }

  const serve = async (): Promise<void> => {
    for (;;) {
      const connected = await connectRetrying(path, () => closed)
      if (connected === undefined) return
      socket = connected
      const decoder = createFrameDecoder()
      connected.on('data', (chunk) => {
        for (const frame of decoder.push(chunk)) connected.write(encodeFrame(answer(frame)))
      })
      connected.on('error', () => connected.destroy())
      // A connection that breaks has an error first.
      await once(connected, 'close').catch(() => undefined)
    }
  }

  const served = serve()
  return {
    get extensions() {
      return extensions
    },
    close: async () => {
      closed = true
      socket?.destroy()
      await served
    },
  }
}
