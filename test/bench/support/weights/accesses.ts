/** Accounts, slots and code that no cache holds, from RocksDB; also where the gas for them is missing. */
import type { BlockEnvironment } from '../../../../evm/engine.ts'
import { headerKey } from '../../../../store/keys.ts'
import type { RocksStore } from '../../../../store/rocks/rocks-store.ts'
import { addressOf, BENCH_BLOCK, setCode } from './bench-machine.ts'
import { ABSENT_FROM, type ColdState, CONTRACTS, contractKey, keyAt, presentKey, SLOTS, STEP } from './cold-state.ts'
import type { Program } from './program.ts'
import { assemble, toBytes } from './assemble.ts'
import type { Overlay } from '../../../../store/overlay.ts'

/** The key for the next access stands on the stack. */
const NEXT = `PUSH32 0x${STEP.toString(16)} MUL`

let place = 0
/** A stretch of keys that no earlier run has read. */
const stretch = (count: number, of: number): number => {
  place = (place + count) % (of - count)
  return place
}

const present = (): string => `PUSH ${presentKey(stretch(20_000, SLOTS))}`
const presentAccount = (): string => `PUSH ${presentKey(stretch(20_000, 300_000))}`
const absent = (): string => `PUSH ${keyAt(ABSENT_FROM, stretch(20_000, SLOTS))}`
const contract = (): string => `PUSH ${contractKey(stretch(900, CONTRACTS))}`

const READER = addressOf(1)
/** Loads the slot that its call data names. */
const prepareReader = (state: Overlay): void =>
  setCode(state, READER, toBytes(assemble('PUSH0 CALLDATALOAD SLOAD STOP')))
const READER_WORD = `PUSH20 0x${Buffer.from(READER).toString('hex')}`

const CALLS = {
  CALL: 'PUSH0 PUSH0 PUSH0 PUSH0 PUSH0 DUP6 PUSH0 CALL',
  STATICCALL: 'PUSH0 PUSH0 PUSH0 PUSH0 DUP5 PUSH0 STATICCALL',
}

/** Hashes of blocks that the database does not hold. */
const absentHashes = (store: RocksStore): BlockEnvironment => ({
  ...BENCH_BLOCK,
  blockHash: (number) => store.get('blocks', headerKey(number)),
})

export const accessPrograms = ({ fresh, store }: ColdState): readonly Program[] =>
  [
    { name: 'BLOCKHASH, absent', unit: 'PUSH 900 BLOCKHASH POP', block: absentHashes(store) },
    {
      name: 'BLOCKHASH, absent, another each time',
      unit: 'PUSH 255 GAS AND NUMBER SUB BLOCKHASH POP',
      block: absentHashes(store),
    },
    { name: 'SLOAD, cold', setup: present, unit: `${NEXT} DUP1 SLOAD POP` },
    { name: 'SLOAD, cold, absent', setup: absent, unit: `${NEXT} DUP1 SLOAD POP` },
    { name: 'SSTORE, cold, changing', setup: present, unit: `${NEXT} GAS DUP2 SSTORE` },
    { name: 'SSTORE, cold, clearing', setup: present, unit: `${NEXT} PUSH0 DUP2 SSTORE` },
    { name: 'SSTORE, cold, absent, new', setup: absent, unit: `${NEXT} GAS DUP2 SSTORE` },
    { name: 'SSTORE, cold, absent, zero', setup: absent, unit: `${NEXT} PUSH0 DUP2 SSTORE` },
    { name: 'BALANCE, cold', setup: presentAccount, unit: `${NEXT} DUP1 BALANCE POP` },
    { name: 'BALANCE, cold, absent', setup: absent, unit: `${NEXT} DUP1 BALANCE POP` },
    { name: 'EXTCODEHASH, cold', setup: contract, unit: `${NEXT} DUP1 EXTCODEHASH POP`, gas: 2_000_000n },
    { name: 'EXTCODESIZE, cold, 24 KB', setup: contract, unit: `${NEXT} DUP1 EXTCODESIZE POP`, gas: 2_000_000n },
    {
      name: 'EXTCODECOPY of 1, cold, 24 KB',
      setup: contract,
      unit: `${NEXT} PUSH 1 PUSH0 PUSH0 DUP4 EXTCODECOPY`,
      gas: 2_000_000n,
    },
    { name: 'STATICCALL, cold, absent', setup: absent, unit: `${NEXT} ${CALLS.STATICCALL} POP` },
    { name: 'CALL, cold, absent', setup: absent, unit: `${NEXT} ${CALLS.CALL} POP` },
    {
      name: 'CALL with value, cold, absent',
      setup: absent,
      unit: `${NEXT} PUSH0 PUSH0 PUSH0 PUSH0 PUSH 1 DUP6 PUSH0 CALL POP`,
    },
    {
      name: 'STATICCALL, cold, 24 KB, fails at once',
      setup: contract,
      unit: `${NEXT} ${CALLS.STATICCALL} POP`,
      gas: 2_000_000n,
    },
    {
      name: 'STATICCALL, cold, 24 KB, jumps',
      setup: contract,
      unit: `${NEXT} PUSH0 PUSH0 PUSH0 PUSH0 DUP5 PUSH 20 STATICCALL POP`,
      gas: 2_000_000n,
    },
    {
      name: 'SLOAD, cold, without the gas for it',
      setup: absent,
      unit: `${NEXT} DUP1 PUSH0 MSTORE PUSH0 PUSH0 PUSH 32 PUSH0 ${READER_WORD} PUSH 5 STATICCALL POP`,
      prepare: prepareReader,
    },
    {
      name: 'SLOAD, cold, in a frame without the gas left',
      setup: absent,
      unit: `${NEXT} DUP1 PUSH0 MSTORE PUSH0 PUSH0 PUSH 32 PUSH0 ${READER_WORD} PUSH 150 STATICCALL POP`,
      prepare: prepareReader,
    },
  ].map((program) => ({ ...program, base: fresh }))
