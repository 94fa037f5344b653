/** What a lying proposer makes of the list of vote extensions that its block begins with. */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { concatBytes, EMPTY_BYTES } from '../../core/bytes.ts'
import {
  type InjectedVote,
  InjectedExtensionsSchema,
  InjectedVoteSchema,
} from '../../proto/gen/nat/clob/v1/vote_extensions_pb.ts'
import { makeValidator, type Validator } from './validators.ts'

export interface ForgeryContext {
  /** Height of the block. */
  readonly height: number
  readonly chainId: string
  /** Whose key the liar has. */
  readonly validator: Validator
}

type Votes = readonly InjectedVote[]

const edit = (raw: Uint8Array, change: (votes: Votes) => Votes, version = 1): Uint8Array => {
  const { votes } = fromBinary(InjectedExtensionsSchema, raw.subarray(1))
  const message = create(InjectedExtensionsSchema, { version, votes: [...change(votes)] })
  return concatBytes(raw.subarray(0, 1), toBinary(InjectedExtensionsSchema, message))
}

const vote = (extension: Uint8Array, signature: Uint8Array): InjectedVote =>
  create(InjectedVoteSchema, { extension, signature })

const stranger = makeValidator('a stranger', 1n)

const signedBy = (signer: Validator, raw: Uint8Array, height: number, chainId: string): Uint8Array =>
  edit(raw, ([first, ...rest]) => {
    const extension = first?.extension ?? EMPTY_BYTES
    return [vote(extension, signer.sign({ extension, height, round: 0, chainId })), ...rest]
  })

/** Each is invalid in a block whose last commit carries a vote with a signature, unless it changes nothing. */
export const FORGERIES: Readonly<Record<string, (raw: Uint8Array, context: ForgeryContext) => Uint8Array>> = {
  'with an altered extension': (raw) =>
    edit(raw, ([first, ...rest]) => [vote(Uint8Array.of(9, 9), first?.signature ?? EMPTY_BYTES), ...rest]),
  'with an altered signature': (raw) =>
    edit(raw, ([first, ...rest]) => [
      vote(
        first?.extension ?? EMPTY_BYTES,
        (first?.signature ?? EMPTY_BYTES).map((byte) => byte ^ 1),
      ),
      ...rest,
    ]),
  'signed by a stranger': (raw, { height, chainId }) => signedBy(stranger, raw, height - 1, chainId),
  'of another height': (raw, { height, chainId, validator }) => signedBy(validator, raw, height, chainId),
  'without one of the votes': (raw) => edit(raw, (votes) => votes.slice(1)),
  'with a vote too many': (raw) => edit(raw, (votes) => [...votes, ...votes.slice(0, 1)]),
  'in another order': (raw) => edit(raw, (votes) => votes.toReversed()),
  'left empty': (raw) => edit(raw, (votes) => votes.map(() => vote(EMPTY_BYTES, EMPTY_BYTES))),
  'with an extension but no signature': (raw) =>
    edit(raw, ([, ...rest]) => [vote(Uint8Array.of(1), EMPTY_BYTES), ...rest]),
  'of an unknown version': (raw) => edit(raw, (votes) => votes, 2),
  'with a field that nobody knows': (raw) => concatBytes(raw, Uint8Array.of(0x1a, 0x00)),
  'with a version that is longer than it must be': (raw) =>
    concatBytes(raw.subarray(0, 1), Uint8Array.of(0x08, 0x81, 0x00), raw.subarray(3)),
  'that does not decode': (raw) => concatBytes(raw, Uint8Array.of(0xff, 0xff)),
}
