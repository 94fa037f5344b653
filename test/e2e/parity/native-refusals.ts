/** Transactions that are wrong as such: signatures, fees, bytes. */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { concatBytes } from '../../../core/bytes.ts'
import { bankTx, tx } from '../../../proto/index.ts'
import { anat, OTHER, STRANGER } from './native-accounts.ts'
import { type NativePeer, pack, type TxOptions } from './native-peer.ts'

const message = pack(bankTx.MsgSendSchema, { fromAddress: OTHER.address, toAddress: STRANGER, amount: [anat(1n)] })

const CASES: Readonly<Record<string, TxOptions>> = {
  'another chain': { chainId: 'other-1' },
  'another account number': { accountOffset: 1n },
  'an old sequence': { sequenceOffset: -1 },
  'a sequence ahead': { sequenceOffset: 1 },
  'a negative fee': { fee: [{ denom: 'anat', amount: '-5' }] },
  'a fee beyond the balance': { fee: [anat(10n ** 30n)] },
  'a long memo': { memo: 'm'.repeat(257) },
  'too little gas for its size': { gas: 21_000n },
  'no gas': { gas: 0n, fee: [anat(10n ** 15n)] },
  'more gas than a block has': { gas: 1_000_000_001n },
  'a timeout that has passed': { timeoutHeight: 1n },
  'no signature': { signatures: () => [] },
  'two signatures': { signatures: (signature) => [signature, signature] },
  'a broken signature': { signatures: (signature) => [signature.with(10, (signature[10] ?? 0) ^ 1)] },
  'a short signature': { signatures: (signature) => [signature.subarray(0, 63)] },
  'an empty signature': { signatures: () => [new Uint8Array(0)] },
}

const utf8 = (text: string): Uint8Array => Buffer.from(text)

export const refusals = async (peer: NativePeer): Promise<void> => {
  for (const [title, options] of Object.entries(CASES))
    await peer.noteRaw(title, await peer.sign(OTHER, [message], options))
  await peer.noteRaw('no message', await peer.sign(OTHER, []))
  await peer.noteRaw(
    'an unknown message',
    await peer.sign(OTHER, [{ typeUrl: '/cosmos.nothing.v1.Msg', value: new Uint8Array(0) }]),
  )
  await peer.noteRaw(
    'a message that is none',
    await peer.sign(OTHER, [{ typeUrl: '/cosmos.bank.v1beta1.QueryParamsRequest', value: new Uint8Array(0) }]),
  )
  await peer.noteRaw('a broken message', await peer.sign(OTHER, [{ ...message, value: utf8('broken') }]))
  const raw = fromBinary(tx.TxRawSchema, await peer.sign(OTHER, [message]))
  const encode = (change: Partial<typeof raw>): Uint8Array =>
    toBinary(
      tx.TxRawSchema,
      create(tx.TxRawSchema, {
        bodyBytes: raw.bodyBytes,
        authInfoBytes: raw.authInfoBytes,
        signatures: raw.signatures,
        ...change,
      }),
    )
  await peer.noteRaw('an empty body', encode({ bodyBytes: new Uint8Array(0) }))
  await peer.noteRaw('an empty AuthInfo', encode({ authInfoBytes: new Uint8Array(0) }))
  await peer.noteRaw('half of it', encode({}).subarray(0, 100))
  await peer.noteRaw('a critical field', encode({ bodyBytes: concatBytes(raw.bodyBytes, Uint8Array.of(0x50, 1)) }))
  await peer.noteRaw('bytes of nothing', utf8('no transaction'))
  // Taken by an evmd without a base fee: so in a block, if they are.
  await peer.send('no fee', OTHER, [message], { fee: [] })
  await peer.send('a zero fee', OTHER, [message], { fee: [anat(0n)] })
  await peer.send('a low fee', OTHER, [message], { fee: [anat(1_000_000_000n)] })
  await peer.send('a fee in another coin', OTHER, [message], {
    fee: [{ denom: 'stake', amount: '900000000000000000' }],
  })
  const path = '/cosmos/tx/v1beta1'
  const signed = fromBinary(tx.TxRawSchema, await peer.sign(OTHER, [message]))
  const good = Buffer.from(toBinary(tx.TxRawSchema, signed)).toString('base64')
  const bad = Buffer.from(toBinary(tx.TxRawSchema, { ...signed, signatures: [] })).toString('base64')
  await peer.notePost('good', `${path}/simulate`, { tx_bytes: good })
  await peer.notePost('without signatures', `${path}/simulate`, { tx_bytes: bad })
  await peer.notePost('empty', `${path}/simulate`, {})
  await peer.notePost('no transaction', `${path}/simulate`, { tx_bytes: 'AAAA' })
  await peer.notePost('no JSON', `${path}/simulate`, 'x')
  const failing = pack(bankTx.MsgSendSchema, {
    fromAddress: OTHER.address,
    toAddress: STRANGER,
    amount: [anat(10n ** 30n)],
  })
  const base64 = Buffer.from(await peer.sign(OTHER, [failing])).toString('base64')
  await peer.notePost('failing', `${path}/simulate`, { tx_bytes: base64 })
  await peer.notePost('good', `${path}/decode`, { tx_bytes: good })
  await peer.notePost('empty', `${path}/decode`, {})
  await peer.notePost('no transaction', `${path}/decode`, { tx_bytes: 'AAAA' })
  await peer.notePost('empty', `${path}/encode`, {})
  await peer.notePost('no transaction', `${path}/encode/amino`, { amino_json: '{}' })
  await peer.notePost('empty', `${path}/encode/amino`, {})
  await peer.notePost('empty', `${path}/decode/amino`, {})
  await peer.notePost('without a mode', `${path}/txs`, { tx_bytes: good })
  await peer.notePost('empty', `${path}/txs`, {})
  await peer.notePost('unknown mode', `${path}/txs`, { tx_bytes: good, mode: 'BROADCAST_MODE_NONE' })
  await peer.notePost('block mode', `${path}/txs`, { tx_bytes: good, mode: 'BROADCAST_MODE_BLOCK' })
  await peer.notePost('unknown member', `${path}/txs`, { tx_bytes: bad, mode: 'BROADCAST_MODE_SYNC', other: 1 })
  await peer.notePost('without signatures', `${path}/txs`, { tx_bytes: bad, mode: 'BROADCAST_MODE_SYNC' })
  await peer.notePost('bad base64', `${path}/txs`, { tx_bytes: '!', mode: 'BROADCAST_MODE_SYNC' })
}
