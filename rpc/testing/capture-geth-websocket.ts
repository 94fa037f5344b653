/** Keeps geth's replies over WebSocket: `node rpc/testing/capture-geth-websocket.ts URL`. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { converse } from './converse.ts'
import { malformedTexts, subscriptionTexts, type Conversation } from './websocket-requests.ts'

const url = process.argv[2] ?? 'ws://127.0.0.1:8546'
const conversations: Conversation[] = []
for (const text of [...malformedTexts, ...subscriptionTexts]) conversations.push(await converse(url, text))
const path = join(import.meta.dirname, '../fixtures/geth-websocket.json')
writeFileSync(path, `${JSON.stringify(conversations, null, 1)}\n`)
console.log(`${conversations.length} conversations`)
