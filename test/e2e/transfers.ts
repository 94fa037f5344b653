/** Many signed transactions fast: the native signer makes some 10,000 a second, viem 1,000. */
import { bigintToBytes, EMPTY_BYTES } from '../../core/bytes.ts'
import { hexToBytes, bytesToHex, type Hex } from '../../core/hex.ts'
import { keccak256 } from '../../core/hash.ts'
import { encodeRlp, type RlpInput } from '../../core/rlp.ts'
import { signDigest } from '../../core/signature.ts'
import { devnetAccounts } from '../../bin/cli/keys/devnet-accounts.ts'
import { trimLeadingZeros } from '../../core/bytes.ts'
import { invariant } from '../../core/errors.ts'
import { EVM_CHAIN_ID, type TestNode } from './harness.ts'

const RECEIVER: Hex = '0x00000000000000000000000000000000000e2e02'
const GWEI = 10n ** 9n
/** The number stays below the limits of a gateway: requests, and bytes of hex. */
const BATCH_TRANSACTIONS = 500
const BATCH_BYTES = 1_500_000

export interface Transfer {
  readonly account: number
  readonly nonce: number
  readonly data?: Uint8Array
  readonly gas?: bigint
  readonly maxFeePerGas?: bigint
}

/** An EIP-1559 transaction of a devnet account. */
export const signTransfer = ({
  account,
  nonce,
  data = EMPTY_BYTES,
  gas = 21_000n,
  maxFeePerGas = 20n * GWEI,
}: Transfer): Uint8Array => {
  const key = devnetKey(account)
  const fees = [bigintToBytes(GWEI), bigintToBytes(maxFeePerGas)]
  const head = [bigintToBytes(BigInt(EVM_CHAIN_ID)), bigintToBytes(BigInt(nonce)), ...fees, bigintToBytes(gas)]
  const fields: RlpInput[] = [...head, hexToBytes(RECEIVER), bigintToBytes(1n), data, []]
  const { r, s, yParity } = signDigest(keccak256(Uint8Array.of(2), encodeRlp(fields)), key)
  const signature = [bigintToBytes(BigInt(yParity)), trimLeadingZeros(r), trimLeadingZeros(s)]
  return Uint8Array.from([2, ...encodeRlp([...fields, ...signature])])
}

const keys = devnetAccounts().map(({ privateKey }) => hexToBytes(privateKey as Hex))
const devnetKey = (index: number): Uint8Array => {
  const key = keys[index]
  invariant(key !== undefined, 'there are ten accounts')
  return key
}

/** Gives all to the pool of a node, in batches; fails when one is refused. */
export const submitAll = async (node: TestNode, raws: readonly Uint8Array[]): Promise<void> => {
  for (let from = 0; from < raws.length; ) {
    const body: object[] = []
    for (let bytes = 0; from < raws.length && body.length < BATCH_TRANSACTIONS && bytes < BATCH_BYTES; from++) {
      const raw = bytesToHex(raws[from] ?? EMPTY_BYTES)
      bytes += raw.length / 2
      body.push({ jsonrpc: '2.0', id: from, method: 'eth_sendRawTransaction', params: [raw] })
    }
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(node.urls.http, { method: 'POST', headers, body: JSON.stringify(body) })
    const replies = (await response.json()) as { error?: { message: string } }[]
    const refused = replies.find(({ error }) => error !== undefined)
    invariant(refused === undefined, `a transaction was refused: ${refused?.error?.message}`)
  }
}
