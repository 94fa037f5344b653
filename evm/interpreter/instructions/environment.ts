/** What code sees of the accounts, the transaction and the block. */
import { equalBytes } from '../../../core/bytes.ts'
import { EMPTY_CODE_HASH } from '../../../core/hash.ts'
import { WEIGHT } from '../../weight.ts'
import { isEmptyAccount } from '../../transition/fees.ts'
import { bitLength, copyWord, setBigint, setBytes, setSmall, toNumber, WORD } from '../words.ts'
import { countLeadingZeros } from '../arithmetic.ts'
import { exponentiate } from '../exponentiate.ts'
import { ADDRESS_WORD, type Frame } from '../frame.ts'
import { CONTEXT, type Machine } from '../machine.ts'
import type { AccountEntry } from '../substate.ts'
import { accessAccount, accessGas } from './access.ts'
import type { Instruction } from './instruction.ts'

/** BLOCKHASH reaches this many blocks back. */
const HASHES = 256

export const exponent: Instruction = (machine, frame) => {
  // 10 gas, and 50 for each byte of the exponent (EIP-160).
  const bytes = Math.ceil(bitLength(machine.stack, frame.sp - 2 * WORD) / 8)
  frame.gas -= 10 + 50 * bytes
  if (frame.gas < 0) return 'outOfGas'
  machine.weigh(WEIGHT.exponentByte * bytes)
  frame.sp -= WORD
  exponentiate(machine.stack, frame.sp)
  return 'continue'
}

export const leadingZeros: Instruction = (machine, frame) => {
  countLeadingZeros(machine.stack, frame.sp - WORD)
  return 'continue'
}

export const address: Instruction = (machine, frame) => {
  copyWord(machine.stack, frame.sp, frame.words, ADDRESS_WORD)
  frame.sp += WORD
  return 'continue'
}

/** Pushes a word that is the same in every frame. */
export const fromContext =
  (name: keyof typeof CONTEXT): Instruction =>
  (machine, frame) => {
    copyWord(machine.stack, frame.sp, machine.context, CONTEXT[name])
    frame.sp += WORD
    return 'continue'
  }

export const codeSize: Instruction = (machine, frame) => {
  setSmall(machine.stack, frame.sp, frame.code.length)
  frame.sp += WORD
  return 'continue'
}

export const selfBalance: Instruction = (machine, frame) => {
  machine.weigh(WEIGHT.selfBalance)
  setBigint(machine.stack, frame.sp, machine.state.account(frame.address)?.balance ?? 0n)
  frame.sp += WORD
  return 'continue'
}

/** An instruction on the account at the top of the stack, which the access may warm. */
const onAccount =
  (read: (machine: Machine, frame: Frame, entry: AccountEntry) => void): Instruction =>
  (machine, frame) => {
    frame.gas -= accessGas(machine, frame.sp - WORD)
    if (frame.gas < 0) return 'outOfGas'
    read(machine, frame, accessAccount(machine, frame.sp - WORD))
    return 'continue'
  }

export const balance: Instruction = onAccount((machine, frame, entry) => {
  setBigint(machine.stack, frame.sp - WORD, machine.state.account(entry.address)?.balance ?? 0n)
})

export const extCodeSize: Instruction = onAccount((machine, frame, entry) => {
  const { length } = machine.weighCode(entry, machine.codeOf(entry, machine.state.account(entry.address)))
  setSmall(machine.stack, frame.sp - WORD, length)
})

/** Zero of an account that is not there or empty (EIP-1052). */
export const extCodeHash: Instruction = onAccount((machine, frame, entry) => {
  const account = machine.state.account(entry.address)
  if (account === undefined || isEmptyAccount(account)) setSmall(machine.stack, frame.sp - WORD, 0)
  else if (equalBytes(account.codeHash, EMPTY_CODE_HASH)) setBytes(machine.stack, frame.sp - WORD, EMPTY_CODE_HASH)
  else setBytes(machine.stack, frame.sp - WORD, account.codeHash)
})

export const blockHash: Instruction = (machine, frame) => {
  const at = frame.sp - WORD
  machine.weigh(WEIGHT.blockHash)
  const { number } = machine.block
  const wanted = toNumber(machine.stack, at)
  const hash = wanted < number && wanted >= number - HASHES ? machine.blockHash(wanted) : undefined
  if (hash === undefined) setSmall(machine.stack, at, 0)
  else setBytes(machine.stack, at, hash)
  return 'continue'
}

export const blobHash: Instruction = (machine, frame) => {
  const at = frame.sp - WORD
  const hash = machine.blobVersionedHashes[toNumber(machine.stack, at)]
  if (hash === undefined) setSmall(machine.stack, at, 0)
  else setBytes(machine.stack, at, hash)
  return 'continue'
}
