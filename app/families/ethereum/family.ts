/** Ethereum's transactions: a list of RLP, or a typed one. */
import { keccak256 } from '../../../core/hash.ts'
import { PLAIN_TRANSFER_GAS } from '../../../core/limits.ts'
import { publicKeyToAddress } from '../../../core/signature.ts'
import { decodeSigned, recoverSender, senderTask } from '../../../evm/transaction/recover-sender.ts'
import { WEIGHT } from '../../../evm/weight.ts'
import type { ExaminedTransaction, PoolFamily } from '../../pool/family.ts'
import { admit, examine } from './admit.ts'
import { EthereumTransaction } from './transaction.ts'

const FIRST_LIST_BYTE = 0xc0
const LAST_TYPE = 4

export const ethereumFamily: PoolFamily = {
  name: 'ethereum',
  isLeading: false,
  isInEthereumBlock: true,
  isShown: true,
  recognises: (firstByte) => firstByte >= FIRST_LIST_BYTE || (firstByte >= 1 && firstByte <= LAST_TYPE),
  hash: (raw) => keccak256(raw),
  decode: (raw) => new EthereumTransaction(decodeSigned(raw)),
  leastGas: () => BigInt(PLAIN_TRANSFER_GAS),
  leastWeight: WEIGHT.transaction,
  examine: (raw, origin, context): ExaminedTransaction => {
    const examined = examine(raw, origin === 'wallet' ? 'wallet' : 'network', context)
    const { transaction } = examined
    return {
      signatureTask: () => senderTask(transaction),
      enter: (answer, now) =>
        admit(examined, answer === undefined ? recoverSender(transaction) : publicKeyToAddress(answer), now),
    }
  },
}
