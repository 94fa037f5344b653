/** Solidity's events: indexed parameters first, as all events of the precompiles have them. */
import { keccak256, type Hash } from '../../../core/hash.ts'
import { utf8ToBytes } from '../../../core/bytes.ts'
import { type AbiParameter, type Fields, parametersOf, tuple, type Values } from './types.ts'

export interface AbiEvent {
  readonly type: 'event'
  readonly name: string
  readonly inputs: readonly (AbiParameter & { readonly indexed: boolean })[]
  readonly anonymous: false
}

export interface EventDefinition<Indexed extends Fields, Data extends Fields> {
  readonly json: AbiEvent
  /** keccak256 of its signature: the first topic. */
  readonly topic: Hash
  encode(values: Values<Indexed> & Values<Data>): { readonly topics: readonly Hash[]; readonly data: Uint8Array }
}

export const defineEvent = <Indexed extends Fields, Data extends Fields>(
  name: string,
  indexed: Indexed,
  data: Data,
): EventDefinition<Indexed, Data> => {
  const topic = keccak256(utf8ToBytes(`${name}${tuple({ ...indexed, ...data }).canonical}`))
  const body = tuple(data)
  return {
    json: {
      type: 'event',
      name,
      inputs: [
        ...parametersOf(indexed).map((parameter) => ({ ...parameter, indexed: true })),
        ...parametersOf(data).map((parameter) => ({ ...parameter, indexed: false })),
      ],
      anonymous: false,
    },
    topic,
    encode: (values) => ({
      topics: [
        topic,
        ...Object.entries(indexed).map(([key, type]) => {
          const value = values[key]
          // The topic of a string is its hash; no other dynamic type is indexed here.
          return typeof value === 'string' ? keccak256(utf8ToBytes(value)) : type.write(value)
        }),
      ],
      data: body.write(values),
    }),
  }
}
