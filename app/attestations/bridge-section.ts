/**
 * What this node's vote says of the bridge: what its daemon has read of the external chain, as far as state wants it, and signatures for
 * the way back.
 */
import { bytesToKey, compareBytes, equalBytes } from '../../core/bytes.ts'
import type { BridgeSignature, VoteExtension } from '../../modules/attestations.ts'
import { MAX_ATTESTATIONS, MAX_CONTENTS, readSayable, readUnsigned, type Sayable } from '../../modules/bridge/index.ts'
import type { BridgeKeys, BridgeWatch } from '../environment.ts'
import type { ProposedBlock } from '../ports.ts'
import type { VotedChain } from './chain.ts'
import type { ExtensionSection } from './voter.ts'

/** More than its own 1 KiB is used where orders leave room. */
const MOST_BYTES = 4_096
/** Field 1 of an extension. */
const VERSION_BYTES = 2
/** Tags, lengths, an id and a hash. */
const ATTESTATION_BYTES = 42
/** Tags and lengths, id, sender, data hash and external height, beside amount and recipient. */
const CONTENT_BYTES = 85
const MAX_AMOUNT_BYTES = 32
/** Tags and lengths, a digest and a signature. */
const SIGNATURE_BYTES = 103

const contentBytes = ({ event }: Sayable): number => CONTENT_BYTES + MAX_AMOUNT_BYTES + event.recipient.length

export class BridgeSection implements ExtensionSection {
  readonly name = 'bridge'
  readonly #watch: BridgeWatch | undefined
  readonly #keys: BridgeKeys | undefined
  /** For each event ID, the last height whose votes attested it, and told its content. */
  readonly #attested = new Map<number, number>()
  readonly #told = new Map<number, number>()
  /** For each digest that was signed with the last vote (bytesToKey), the height of the vote. */
  #signed = new Map<string, number>()

  /** A section without a daemon attests nothing, and one without keys signs nothing. */
  constructor(watch: BridgeWatch | undefined, keys?: BridgeKeys) {
    this.#watch = watch
    this.#keys = keys
  }

  attest(block: ProposedBlock, chain: VotedChain, spentBytes: number, capBytes: number): Partial<VoteExtension> {
    const room = Math.min(MOST_BYTES, capBytes - spentBytes - VERSION_BYTES)
    const bridgeSignatures = this.#sign(block, chain, Math.max(0, Math.floor(room / SIGNATURE_BYTES)))
    return { bridgeSignatures, ...this.#tell(block, chain, room - bridgeSignatures.length * SIGNATURE_BYTES) }
  }

  /** Signs what waits for one of this node's keys, by ascending digest, and no more than `most`. */
  #sign({ height }: ProposedBlock, { state, parameters }: VotedChain, most: number): readonly BridgeSignature[] {
    const keys = this.#keys
    if (keys === undefined) return []
    const before = this.#signed
    const signed = readUnsigned(state, parameters.chainId)
      .flatMap(({ digest, missing }) => {
        const address = keys.addresses.find((own) => missing.some((each) => equalBytes(each, own)))
        // What the votes of the height before have signed is in the block that comes, and not in state yet.
        if (address === undefined || before.get(bytesToKey(digest)) === height - 1) return []
        return { digest, address }
      })
      .sort((a, b) => compareBytes(a.digest, b.digest))
      .slice(0, most)
    this.#signed = new Map(signed.map(({ digest }) => [bytesToKey(digest), height]))
    return signed.map(({ digest, address }) => ({ digest, signature: keys.sign(address, digest) }))
  }

  /** Tells what the daemon has read, in so many bytes. */
  #tell(block: ProposedBlock, { state }: VotedChain, room: number): Partial<VoteExtension> {
    const watch = this.#watch
    if (watch === undefined) return {}
    const sayable = readSayable(state, (contract, from, max) => watch.events(contract, from, max))
    forgetBelow(this.#attested, sayable[0]?.event.id)
    forgetBelow(this.#told, sayable[0]?.event.id)
    let bytes = room
    // What the votes of the height before have said is in the block that comes, and not in state yet.
    const contents = sayable.filter((each) => each.isWanted && isNew(this.#told, each, block)).slice(0, MAX_CONTENTS)
    const told: Sayable[] = []
    for (const each of contents) {
      // Half of the room is for what nobody has heard of.
      if (contentBytes(each) > bytes / 2) break
      bytes -= contentBytes(each)
      told.push(each)
    }
    const attested = sayable
      .filter((each) => isNew(this.#attested, each, block))
      .slice(0, Math.min(MAX_ATTESTATIONS, Math.max(0, Math.floor(bytes / ATTESTATION_BYTES))))
    for (const { event } of told) this.#told.set(event.id, block.height)
    for (const { event } of attested) this.#attested.set(event.id, block.height)
    return {
      bridge: attested.map(({ event, hash }) => ({ id: event.id, hash })),
      bridgeContents: told.map(({ event }) => event),
    }
  }
}

const isNew = (said: ReadonlyMap<number, number>, { event }: Sayable, { height }: ProposedBlock): boolean =>
  said.get(event.id) !== height - 1

/** Ids below the first one are decided: what is remembered stays within the window. */
const forgetBelow = (said: Map<number, number>, first: number | undefined): void => {
  for (const id of said.keys()) if (first === undefined || id < first) said.delete(id)
}
