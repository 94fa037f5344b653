/**
 * Asks a running geth every request of requests.ts and keeps its replies: `node rpc/testing/capture-geth.ts URL`.
 * Replies with a result are kept too; the comparison uses those whose outcome does not depend on geth's chain.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { comparedRequests } from './requests.ts'

const url = process.argv[2] ?? 'http://127.0.0.1:8545'
const replies: { body: string; status: number; reply: string }[] = []
for (const { body } of comparedRequests()) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'accept-encoding': 'identity' },
    body,
  })
  replies.push({ body, status: response.status, reply: await response.text() })
}
writeFileSync(join(import.meta.dirname, '../fixtures/geth-replies.json'), `${JSON.stringify(replies, null, 1)}\n`)
console.log(`${replies.length} replies`)
