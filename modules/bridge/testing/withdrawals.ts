/** The bridge with validators that have keys for the way back. */
import type { MessageInitShape, MessageShape } from '@bufbuild/protobuf'
import { encodeBech32 } from '../../../core/bech32.ts'
import { bridgeKeyDigest, signForBridge } from '../../../core/bridge-signature.ts'
import { keccak256 } from '../../../core/hash.ts'
import { bytesToHex } from '../../../core/hex.ts'
import { privateKeyToAddress } from '../../../core/signature.ts'
import { bridgeQuery, bridgeTx } from '../../../proto/index.ts'
import type { BridgeSignature } from '../../attestations.ts'
import type { Event } from '../../module.ts'
import { ask, CHAIN_ID, runMessage } from '../../slashing/testing/world.ts'
import { readUnsigned } from '../sign.ts'
import { ACCOUNT, DENOM, GENESIS, type Member, PARAMS, type Said, World } from './world.ts'

export const RECIPIENT = `0x${'ee'.repeat(20)}`
type Params = typeof PARAMS
const OPEN: Params = { ...PARAMS, withdrawLimit: '1000000' }

export interface Key {
  readonly address: Uint8Array
  readonly privateKey: Uint8Array
}

export const keyOf = (index: number): Key => {
  const privateKey = keccak256(Uint8Array.of(0x6b, index))
  return { privateKey, address: privateKeyToAddress(privateKey) }
}

export class WithdrawalWorld extends World {
  /** The keys that a home holds, by place in the set, the newest last. */
  readonly keys = new Map<number, Key[]>()
  readonly #params: Params

  /** The validators at the places of `registered` have keys; all have where it is left out. */
  constructor(
    set: readonly Member[],
    registered: readonly number[] = set.map((_, place) => place),
    limit: Partial<Params> = {},
    contract: Partial<Params> = {},
  ) {
    const params = { ...OPEN, ...limit, ...contract }
    super(set, {
      params: {
        ...GENESIS.params,
        chain_id: params.chainId.toString(),
        contract: params.contract,
        withdraw_limit: params.withdrawLimit,
        set_interval_blocks: params.setIntervalBlocks.toString(),
      },
    })
    this.#params = params
    for (const place of registered) this.register(place)
  }

  override updateParams(changes: Partial<Params>): readonly Event[] {
    return super.updateParams({ ...this.#params, ...changes })
  }

  /** The validator with the address of `place` registers a key, which `by` has signed for. */
  register(place: number, key = keyOf(place), by = key): readonly Event[] {
    const operator = encodeBech32(new Uint8Array(20).fill(place + 1))
    const signature = signForBridge(bridgeKeyDigest(CHAIN_ID, operator), by.privateKey)
    const message = { operator, address: bytesToHex(key.address), signature }
    const events = runMessage(this.module, this.state, this.height, bridgeTx.MsgSetBridgeKeySchema, message)
    this.keys.set(place, [...(this.keys.get(place) ?? []), key])
    return events
  }

  /** Withdraws, and returns the id. */
  withdraw(
    amount: bigint,
    { denom = DENOM, recipient = RECIPIENT, sender = encodeBech32(ACCOUNT) } = {} as {
      denom?: string
      recipient?: string
      sender?: string
    },
  ): number {
    const message = { sender, recipient, amount: { denom, amount: amount.toString() } }
    const events = runMessage(this.module, this.state, this.height, bridgeTx.MsgWithdrawSchema, message)
    return Number(events.find(({ type }) => type === 'bridge_withdraw')?.attributes[0]?.value)
  }

  /** What waits for signatures. */
  digests(): readonly Uint8Array[] {
    return readUnsigned(this.state, CHAIN_ID).map(({ digest }) => digest)
  }

  signature(place: number, digest: Uint8Array, key = keyOf(place)): BridgeSignature {
    return { digest, signature: signForBridge(digest, key.privateKey) }
  }

  /** Anybody sends the signature of a member. */
  submit(signature: BridgeSignature): readonly Event[] {
    const message = { sender: encodeBech32(ACCOUNT), ...signature }
    return runMessage(this.module, this.state, this.height, bridgeTx.MsgSubmitSignatureSchema, message)
  }

  /** Says what an honest validator says with its keys, as `BridgeSection` does. */
  honest(place: number): Said {
    const own = this.keys.get(place) ?? []
    const signatures = readUnsigned(this.state, CHAIN_ID).flatMap(({ digest, missing }) => {
      const key = own.find(({ address }) => missing.some((each) => bytesToHex(each) === bytesToHex(address)))
      return key === undefined ? [] : { digest, signature: signForBridge(digest, key.privateKey) }
    })
    return { bridgeSignatures: signatures.sort((a, b) => (bytesToHex(a.digest) < bytesToHex(b.digest) ? -1 : 1)) }
  }

  /** Makes a block whose votes bring the signatures of those at these places. */
  signBy(places: readonly number[]): readonly Event[] {
    const said = this.set.map((_, place) => (places.includes(place) ? this.honest(place) : undefined))
    return this.block(said)
  }

  /** Asks for a proof. Throws grpc/5 where there is none yet. */
  proof(
    id: number,
    of: MessageInitShape<typeof bridgeQuery.QueryWithdrawalProofRequestSchema> = {},
  ): MessageShape<typeof bridgeQuery.QueryWithdrawalProofResponseSchema> {
    const { withdrawalProof } = bridgeQuery.Query.method
    return ask(this.module, this.state, this.height, withdrawalProof, { id, ...of })
  }
}
