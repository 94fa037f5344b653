import { openLone, blockOf, GENESIS_TIME_NS } from './hostile/lone-application.ts'
import { utf8ToBytes } from '../core/bytes.ts'
import { signDigest, privateKeyToAddress } from '../core/signature.ts'
import { bytesToHex } from '../core/hex.ts'
import { keccak256 } from '../core/hash.ts'
import { encodeRlp } from '../core/rlp.ts'
const be = (n: number) => {
  const o: number[] = []
  while (n > 0) {
    o.unshift(n % 256)
    n = Math.floor(n / 256)
  }
  return Uint8Array.from(o)
}
const mb = () => (process.memoryUsage().rss / 1e6).toFixed(0) + 'MB'
const keys = Array.from({ length: 1000 }, (_, i) => keccak256(be(i + 1)))
const addrs = keys.map(privateKeyToAddress)
const balances = addrs.map((a) => ({
  address: bytesToHex(a),
  coins: [{ denom: 'anat', amount: '1000000000000000000000' }],
}))
let t = performance.now()
const appState = utf8ToBytes(JSON.stringify({ evm: { chain_id: '2517' }, bank: { balances } }))
const { application } = await openLone({
  genesis: { appState },
  environment: {
    clock: { nowMs: () => performance.now() },
    yieldToEventLoop: () => new Promise((r) => setImmediate(r)),
  },
  settings: { maxBlockMs: 60_000 },
})
const be2 = (n: bigint) => {
  const h = n.toString(16)
  return Uint8Array.from(Buffer.from(h.length % 2 ? '0' + h : h, 'hex'))
}
const make = (i: number, nonce: number) => {
  const fields = [
    be(2517),
    be(nonce),
    be2(1_000_000_000n),
    be2(10_000_000_000n),
    be(21000),
    addrs[(i + 1) % 1000]!,
    be(1),
    new Uint8Array(0),
    [],
  ] as any
  const h = keccak256(Uint8Array.of(2), encodeRlp(fields))
  const s = signDigest(h, keys[i]!)
  const trim = (b: Uint8Array) => {
    let k = 0
    while (b[k] === 0) k++
    return b.slice(k)
  }
  return Uint8Array.from([2, ...encodeRlp([...fields, be(s.yParity), trim(s.r), trim(s.s)])])
}
let ok = 0
for (let nonce = 0; nonce < 50; nonce++)
  for (let i = 0; i < 1000; i++) if (application.checkTx(make(i, nonce), false).code === 0) ok++
console.log('accepted', ok, (performance.now() - t).toFixed(0) + 'ms', mb())
let keep
for (let round = 0; round < 10; round++) {
  t = performance.now()
  const txs = await application.prepareProposal({
    ...blockOf(1, []),
    timeNs: GENESIS_TIME_NS + BigInt(round),
    votes: [],
    maxTxBytes: 8_000_000,
  })
  console.log('prepare', txs.length, (performance.now() - t).toFixed(0) + 'ms', mb())
  if (round > 0 && round < 9) continue
  t = performance.now()
  console.log(
    'process other content',
    await application.processProposal({
      ...blockOf(1, txs),
      timeNs: GENESIS_TIME_NS + 100n + BigInt(round),
      hash: keccak256(be(round + 1)),
    }),
    (performance.now() - t).toFixed(0) + 'ms',
    mb(),
  )
  if (round === 9) {
    const b = { ...blockOf(1, txs), timeNs: GENESIS_TIME_NS + BigInt(round) }
    t = performance.now()
    await application.processProposal(b)
    const f = await application.finalizeBlock(b)
    console.log('finalize kept', (performance.now() - t).toFixed(0) + 'ms', f.transactionResults.length)
    t = performance.now()
    await application.commit()
    console.log('commit', (performance.now() - t).toFixed(0) + 'ms', mb())
  }
}
