/** What a transaction costs before its first instruction: decoding, its signature, its lists, its call data. */
import { bigintToBytes, padLeft, uint64ToBytes } from '../../../../core/bytes.ts'
import { keccak256 } from '../../../../core/hash.ts'
import { signDigest } from '../../../../core/signature.ts'
import { authorizationHash, encodeTransaction, signingHash } from '../../../../evm/transaction/encode-transaction.ts'
import { decodeSigned } from '../../../../evm/transaction/recover-sender.ts'
import type { Authorization, SetCodeTransaction } from '../../../../evm/transaction/transaction.ts'
import { bytesToBigint } from '../../../../core/bytes.ts'
import { Overlay } from '../../../../store/overlay.ts'
import type { StateReader } from '../../../../store/state.ts'
import type { Message } from '../../../../evm/engine.ts'
import { execute, processorNs, setCode, TARGET } from './bench-machine.ts'
import { ABSENT_FROM, type ColdState, keyAt, presentKey } from './cold-state.ts'
import type { Row } from './program.ts'

const SECRET = keccak256(uint64ToBytes(1))

const sign = (digest: Uint8Array): { r: bigint; s: bigint; v: bigint } => {
  const { r, s, yParity } = signDigest(digest, SECRET)
  return { r: bytesToBigint(r), s: bytesToBigint(s), v: BigInt(yParity) }
}

const rawOf = (rest: Partial<SetCodeTransaction>, type: 2 | 4 = 2): Uint8Array => {
  const unsigned = {
    type,
    chainId: 2517n,
    nonce: 1n,
    gasLimit: 16_000_000n,
    maxFeePerGas: 10n ** 10n,
    maxPriorityFeePerGas: 10n ** 9n,
    to: TARGET,
    value: 1n,
    data: new Uint8Array(0),
    accessList: [],
    authorizationList: [],
    v: 0n,
    r: 0n,
    s: 0n,
    ...rest,
  } as SetCodeTransaction
  return encodeTransaction({ ...unsigned, ...sign(signingHash(unsigned)) })
}

const best = (times: number, work: () => void): number => {
  let least = Infinity
  for (let run = 0; run < times; run++) {
    const from = processorNs()
    work()
    least = Math.min(least, processorNs() - from)
  }
  return least
}

const decoding = (raw: Uint8Array, repeats: number): number =>
  best(4, () => {
    for (let at = 0; at < repeats; at++) decodeSigned(raw)
  }) / repeats

const authorizationOf = (index: number): Authorization => {
  const secret = keccak256(uint64ToBytes(1_000 + index))
  const unsigned = { chainId: 0n, address: TARGET, nonce: 0n, yParity: 0n, r: 0n, s: 0n }
  const { r, s, yParity } = signDigest(authorizationHash(unsigned), secret)
  return { ...unsigned, r: bytesToBigint(r), s: bytesToBigint(s), yParity: BigInt(yParity) }
}

const keyBytes = (from: string): Uint8Array => padLeft(bigintToBytes(BigInt(from)), 32)

/** Time of an execution beside that of a bare one, over a state whose caches are empty. */
const executing = (fresh: () => StateReader, message: Partial<Message>): number => {
  const run = (rest: Partial<Message>): number => {
    let least = Infinity
    for (let round = 0; round < 3; round++) {
      const state = new Overlay(fresh())
      setCode(state, TARGET, Uint8Array.of(0))
      const from = processorNs()
      execute(state, 200_000_000n, rest)
      least = Math.min(least, processorNs() - from)
    }
    return least
  }
  return run(message) - run({})
}

const LIST = 2_000
const DATA = 100_000

export const measureTransactions = ({ fresh }: ColdState): readonly Row[] => {
  const bare = decoding(rawOf({}), 2_000)
  const data = (byte: number): number =>
    (decoding(rawOf({ data: new Uint8Array(DATA).fill(byte) }), 20) -
      bare +
      executing(fresh, { data: new Uint8Array(DATA).fill(byte) })) /
    DATA
  const keys = (absent: boolean) =>
    Array.from({ length: LIST }, (_, at) =>
      keyBytes(absent ? keyAt(ABSENT_FROM, 500_000 + at) : presentKey(500_000 + at)),
    )
  const slots = (absent: boolean): number => {
    const accessList = [{ address: TARGET, storageKeys: keys(absent) }]
    return (decoding(rawOf({ accessList }), 20) - bare + executing(fresh, { accessList })) / LIST
  }
  const addressList = keys(true).map((key) => ({ address: key.subarray(12), storageKeys: [] }))
  const addresses =
    (decoding(rawOf({ accessList: addressList }), 20) - bare + executing(fresh, { accessList: addressList })) / LIST
  const authorizationList = Array.from({ length: 200 }, (_, at) => authorizationOf(at))
  const authorizations =
    (decoding(rawOf({ authorizationList }, 4), 20) - bare + executing(fresh, { authorizationList, type: 4 })) / 200
  return [
    { name: 'transaction: decode, hash, recover', ns: bare, gas: 21_000 },
    { name: 'transaction: byte of zeros', ns: data(0), gas: 4 },
    { name: 'transaction: byte not zero', ns: data(1), gas: 16 },
    { name: 'access list: slot, cold', ns: slots(false), gas: 1_900 },
    { name: 'access list: slot, cold, absent', ns: slots(true), gas: 1_900 },
    { name: 'access list: address', ns: addresses, gas: 2_400 },
    { name: 'authorization', ns: authorizations, gas: 25_000 },
  ]
}
