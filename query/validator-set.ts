/** Validator sets as CometBFT has them, with the SDK's addresses and keys. */
import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { encodeBech32 } from '../core/bech32.ts'
import { queryRefusal } from '../modules/sdk-errors.ts'
import { type cometQuery, ed25519, type pagination as page } from '../proto/index.ts'
import type { Consensus } from '../app/environment.ts'
import { base64, big, hex, list, node, text } from './comet-json.ts'

/** A page has at most so many, here and in CometBFT. */
const MAX_PAGE = 100

type Validator = MessageInitShape<typeof cometQuery.ValidatorSchema>

/** Both responses have these members. */
export interface ValidatorSet {
  readonly blockHeight: bigint
  readonly validators: Validator[]
  readonly pagination: { readonly total: bigint }
}

const validator = (value: unknown): Validator => ({
  address: encodeBech32(hex(value, 'address'), 'natvalcons'),
  pubKey: {
    typeUrl: '/cosmos.crypto.ed25519.PubKey',
    value: toBinary(
      ed25519.PubKeySchema,
      create(ed25519.PubKeySchema, { key: base64(text(node(value, 'pub_key'), 'value')) }),
    ),
  },
  votingPower: big(value, 'voting_power'),
  proposerPriority: big(value, 'proposer_priority'),
})

/** All of a height, which is at most a thousand: CometBFT's pages begin at multiples of their size, the SDK's anywhere. */
const readAll = async (environment: Consensus, height: number): Promise<readonly unknown[]> => {
  const all: unknown[] = []
  for (let number = 1, total = 1; all.length < total; number++) {
    const route = `validators?height=${height}&page=${number}&per_page=${MAX_PAGE}`
    const answer = await environment.consensusRpc(route)
    const found = list(answer, 'validators')
    if (found.length === 0) break
    all.push(...found)
    total = Number(text(answer, 'total'))
  }
  return all
}

/** The page that begins at an offset, at most 100 of them; a key is not taken, as in the SDK. Throws grpc/3. */
export const validatorSet = async (
  environment: Consensus,
  height: number,
  request: page.PageRequest | undefined,
): Promise<ValidatorSet> => {
  const limit = Number(request?.limit ?? 0n) || MAX_PAGE
  const offset = Number(request?.offset ?? 0n)
  if (limit > MAX_PAGE) throw queryRefusal('invalidArgument', `a page has at most ${MAX_PAGE} validators`)
  const all = await readAll(environment, height)
  const validators = all.slice(offset, offset + limit).map(validator)
  return { blockHeight: BigInt(height), validators, pagination: { total: BigInt(all.length) } }
}
