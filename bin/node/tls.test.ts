/** TLS on all servers of a gateway, with the clients that users have. */
import { once } from 'node:events'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { connect as connectHttp2, performServerHandshake } from 'node:http2'
import { request } from 'node:https'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { credentials, Client } from '@grpc/grpc-js'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { keccak256 } from '../../core/hash.ts'
import { bytesToHex } from '../../core/hex.ts'
import { Floods } from '../../rpc/floods.ts'
import { type Gateway, startGateway } from '../../rpc/gateway.ts'
import { GATEWAY_DEFAULTS } from '../../rpc/settings.ts'
import { serveGrpcHttp2 } from '../../rpc/grpc/server.ts'
import { createSecurity } from '../../rpc/tls.ts'
import { createMemoryApplication } from '../../rpc/testing/memory-application.ts'
import { Turns } from '../../rpc/turns.ts'
import { type CertificateFiles, makeCertificate } from '../testing/certificates.ts'
import { defaultSettings } from './config/settings.ts'
import { readTlsFiles, tlsFilesOf, type WatchedTls, watchTlsFiles } from './config/tls-files.ts'
import { createLog } from './runtime/log.ts'
import { askOwnServer } from './runtime/own-server.ts'

const folder = mkdtempSync(join(tmpdir(), 'tls-'))
const CALL = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}'
const RESULT = '{"jsonrpc":"2.0","id":1,"result":"0x539"}\n'
let files: CertificateFiles
let other: CertificateFiles
let expired: CertificateFiles
let gateway: Gateway | undefined
let tls: WatchedTls | undefined
let said = ''

beforeAll(() => {
  files = makeCertificate(folder, 'used')
  other = makeCertificate(folder, 'other')
  expired = makeCertificate(folder, 'expired', -1)
})
afterEach(async () => {
  tls?.stop()
  await gateway?.close()
  gateway = undefined
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const start = async (): Promise<Gateway> => {
  said = ''
  const log = createLog({ write: (line) => (said += line) })
  tls = watchTlsFiles(files, log)
  const any = '127.0.0.1:0'
  const settings = { ...GATEWAY_DEFAULTS, address: any, wsAddress: any, restAddress: any, grpcAddress: any }
  gateway = await startGateway(settings, createMemoryApplication(), log, { tls })
  return gateway
}

/** Posts as a client does that trusts this certificate alone. */
const post = (address: string | undefined, ca: string, body = CALL): Promise<string> =>
  new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' }
    const sent = request(`https://${address}/`, { ca, method: 'POST', headers, agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.on('end', () => resolve(text))
    })
    sent.on('error', reject).end(body)
  })

const pem = ({ certificatePath }: CertificateFiles): string => readFileSync(certificatePath, 'utf8')

describe('a gateway with a certificate', () => {
  it('refuses key exchanges that cost it much, and has those of all clients of today', async () => {
    const { address } = await start()
    const ca = pem(files)
    const [host = '', port = ''] = (address ?? '').split(':')
    const exchange = async (ecdhCurve: string): Promise<string> => {
      const socket = connect({ host, port: Number(port), ca, ecdhCurve })
      const outcome = await once(socket, 'secureConnect').then(
        () => 'connected',
        (error: NodeJS.ErrnoException) => error.code ?? '',
      )
      socket.destroy()
      return outcome
    }
    for (const curve of ['X25519MLKEM768', 'X25519', 'P-256']) expect(await exchange(curve)).toBe('connected')
    for (const curve of ['P-521', 'P-384', 'X448']) expect(await exchange(curve)).toContain('ALERT')
  })

  it('brings long bodies and answers whole, and ends who sends records that hold a byte each', async () => {
    const { address } = await start()
    const ca = pem(files)
    const data = new Uint8Array(2_000_000).fill(7)
    const asked = `{"jsonrpc":"2.0","id":1,"method":"web3_sha3","params":["${bytesToHex(data)}"]}`
    expect(await post(address, ca, asked)).toBe(`{"jsonrpc":"2.0","id":1,"result":"${bytesToHex(keccak256(data))}"}\n`)
    const [host = '', port = ''] = (address ?? '').split(':')
    const socket = connect({ host, port: Number(port), ca }).on('error', () => undefined)
    await once(socket, 'secureConnect')
    const head =
      'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 4000000\r\n\r\n'
    const closed = new Promise((resolve) => socket.once('close', resolve))
    let written = 0
    // What waits to be written would go in one record.
    const writeOn = (): void => {
      if (socket.destroyed || written >= 100_000) return
      written++
      socket.write(' ', () => void setImmediate(writeOn))
    }
    socket.write(head, writeOn)
    await closed
    expect(written).toBeLessThan(100_000)
  })

  it('answers calls of gRPC without a wait for what the client acknowledges', async () => {
    const identity = { certificate: pem(files), key: readFileSync(files.keyPath, 'utf8') }
    const path = '/t.T/Echo'
    const server = await serveGrpcHttp2({
      host: '127.0.0.1',
      port: 0,
      methods: new Map([[path, { kind: 'unary', answer: (bytes) => Promise.resolve({ bytes, metadata: {} }) }]]),
      maxReceiveBytes: 1_000,
      maxSendBytes: 1_000,
      toStatus: (error) => ({ code: 2, message: String(error) }),
      tls: { current: () => identity, onRenewal: () => () => undefined },
    })
    const client = new Client(`localhost:${server.port}`, credentials.createSsl(Buffer.from(identity.certificate)))
    const same = (bytes: Buffer): Buffer => bytes
    const call = (): Promise<Buffer | undefined> =>
      new Promise((resolve, reject) => {
        client.makeUnaryRequest(path, same, same, Buffer.from('a'), (error, answer) =>
          error === null ? resolve(answer) : reject(error),
        )
      })
    await call()
    const times: number[] = []
    for (let count = 0; count < 21; count++) {
      const fromMs = performance.now()
      expect(`${await call()}`).toBe('a')
      times.push(performance.now() - fromMs)
    }
    // The system holds a small piece back for 40 ms behind one that is not acknowledged (RFC 896), on any machine.
    expect(times.sort((a, b) => a - b)[2]).toBeLessThan(30)
    client.close()
    await server.close()
  })

  it('goes on with a client that reads long answers, and says of each part that it goes on', async () => {
    const server = createServer()
    const identity = { certificate: pem(files), key: readFileSync(files.keyPath, 'utf8') }
    const security = createSecurity(server, {
      source: { current: () => identity, onRenewal: () => () => undefined },
      turns: new Turns(),
      protocols: ['h2'],
      floods: new Floods(),
    })
    const long = Buffer.alloc(32 * 1024 * 1024, 7)
    server.on('connection', (socket) => {
      security.begin(socket, (secure) => {
        const session = performServerHandshake(secure).on('error', () => undefined)
        session.on('stream', (stream) => stream.on('error', () => undefined).end(long))
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const client = connectHttp2(`https://127.0.0.1:${port}`, { ca: pem(files) })
    let length = 0
    for (let count = 0; count < 3; count++) {
      const stream = client.request({ ':path': '/' })
      stream.on('data', (chunk: Buffer) => (length += chunk.length))
      await once(stream, 'close')
    }
    expect(length).toBe(3 * long.length)
    client.destroy()
    server.close()
    await once(server, 'close')
  })

  it('has clients wait that begin handshakes and ask nothing, and none that ask', async () => {
    const { address, grpcAddress } = await start()
    const ca = pem(files)
    for (let count = 0; count < 80; count++) expect(await post(address, ca)).toBe(RESULT)
    const [host = '', port = ''] = (grpcAddress ?? '').split(':')
    const handshake = async (): Promise<void> => {
      const socket = connect({ host, port: Number(port), ca, ALPNProtocols: ['h2'] }).on('error', () => undefined)
      await Promise.race([once(socket, 'secureConnect'), once(socket, 'close')])
      socket.destroy()
    }
    // Those above the bound wait themselves.
    await Promise.all(Array.from({ length: 100 }, handshake))
    await Promise.all(Array.from({ length: 100 }, handshake))
    const startedMs = performance.now()
    expect(await post(address, ca)).toBe(RESULT)
    expect(performance.now() - startedMs).toBeGreaterThan(800)
  })

  it('has clients wait whose requests are refused before all of them has come, each over a connection of its own', async () => {
    const { address, restAddress } = await start()
    const ca = pem(files)
    const path = '/cosmos.bank.v1beta1.Query/Params'
    const headers = { 'content-type': 'application/grpc-web+proto', 'content-length': 1_000_000 }
    const refused = (): Promise<string> =>
      new Promise((resolve) => {
        const sent = request(`https://${restAddress}${path}`, { ca, method: 'POST', headers, agent: false })
        sent.on('response', (response) => {
          response.once('data', (chunk: Buffer) => {
            resolve(chunk.toString('latin1'))
            sent.destroy()
          })
        })
        sent.on('error', () => resolve('')).write(Buffer.alloc(200_000))
      })
    expect(await refused()).toContain('request body too large')
    let waitedMs = 0
    // A busy machine makes them so slowly that some of them are forgiven meanwhile.
    for (let attempt = 0; attempt < 5 && waitedMs <= 800; attempt++) {
      for (let round = 0; round < 2; round++) await Promise.all(Array.from({ length: 150 }, refused))
      const startedMs = performance.now()
      expect(await post(address, ca)).toBe(RESULT)
      waitedMs = performance.now() - startedMs
    }
    expect(waitedMs).toBeGreaterThan(800)
  })

  it('serves HTTP, WebSocket, REST and gRPC over TLS', async () => {
    const { address, wsAddress, restAddress, grpcAddress } = await start()
    const ca = pem(files)
    expect(await post(address, ca)).toBe(RESULT)

    const socket = new WebSocket(`wss://${wsAddress}`, { ca })
    await once(socket, 'open')
    socket.send(CALL)
    const [message] = (await once(socket, 'message')) as [Buffer]
    expect(message.toString()).toBe(RESULT)
    socket.close()

    const swagger = await askOwnServer({ address: hostPort(restAddress), certificate: ca }, '/swagger/openapi.json')
    expect(JSON.parse(swagger)).toHaveProperty('openapi')

    const client = new Client(grpcAddress ?? '', credentials.createSsl(Buffer.from(ca)))
    const identity = (bytes: Buffer): Buffer => bytes
    const status = await new Promise<Buffer | undefined>((resolve, reject) => {
      const path = '/grpc.health.v1.Health/Check'
      client.makeUnaryRequest(path, identity, identity, Buffer.alloc(0), (error, answer) =>
        error === null ? resolve(answer) : reject(error),
      )
    })
    client.close()
    // HealthCheckResponse: SERVING.
    expect(status?.toString('hex')).toBe('0801')
  })

  it('is found by the commands of its own node, whatever name the certificate is for', async () => {
    const { address } = await start()
    expect(await askOwnServer({ address: hostPort(address), certificate: pem(files) }, '/', CALL)).toBe(RESULT)
    await expect(askOwnServer({ address: hostPort(address), certificate: pem(other) }, '/', CALL)).rejects.toThrow(
      /certificate/,
    )
  })

  it('answers nothing to a client that speaks plainly, or an old TLS, and goes on', async () => {
    const { address } = await start()
    await expect(fetch(`http://${address}/`, { method: 'POST', body: CALL })).rejects.toThrow('fetch failed')
    const [host = '', port = ''] = (address ?? '').split(':')
    const old = connect({ host, port: Number(port), maxVersion: 'TLSv1.1', minVersion: 'TLSv1', ca: pem(files) })
    await once(old, 'error')
    expect(await post(address, pem(files))).toBe(RESULT)
  })

  it('takes a renewed certificate without a restart, and keeps the one before where the new one is wrong', async () => {
    const { address } = await start()
    const used = makeCertificate(folder, 'renewed')
    const before = pem(files)
    const [certificate, key] = [readFileSync(files.certificatePath), readFileSync(files.keyPath)]
    // Another time than before, however coarse the clock of the file system is.
    const touch = (seconds: number): void => utimesSync(files.certificatePath, seconds, seconds)
    copyFileSync(used.certificatePath, files.certificatePath)
    touch(1_000)
    tls?.look()
    expect(said).toMatch(
      /the renewed certificate cannot be used: the one before it stays.*is not that of the certificate/,
    )
    expect(await post(address, before)).toBe(RESULT)
    writeFileSync(files.certificatePath, `${pem(used)}-----BEGIN CERTIFICATE-----\nAAAA\n`)
    copyFileSync(used.keyPath, files.keyPath)
    touch(1_500)
    tls?.look()
    expect(said).not.toContain('the certificate was renewed')
    expect(await post(address, before)).toBe(RESULT)
    expect(tls?.current().certificate).toBe(before)
    copyFileSync(used.certificatePath, files.certificatePath)
    touch(2_000)
    // Nothing of the files changes once the clock is right.
    const clock = vi.spyOn(Date, 'now').mockReturnValue(0)
    tls?.look()
    tls?.look()
    clock.mockRestore()
    expect(said.split('not valid before')).toHaveLength(2)
    expect(said).not.toContain('the certificate was renewed')
    tls?.look()
    expect(said).toContain('the certificate was renewed')
    expect(await post(address, pem(used))).toBe(RESULT)
    await expect(post(address, before)).rejects.toThrow(/certificate/)
    writeFileSync(files.certificatePath, certificate)
    writeFileSync(files.keyPath, key)
  })
})

describe('files that no client could accept are refused with the reason:', () => {
  const now = Date.now()
  const reading = (change: Partial<CertificateFiles>) => () => readTlsFiles({ ...files, ...change }, now)

  it('an expired certificate, and one that is not valid yet', () => {
    expect(() => readTlsFiles(expired, now)).toThrow(/tls\.certificate-path: .*expired\.pem expired at .*: renew it/)
    expect(() => readTlsFiles(files, 0)).toThrow(/is not valid before .*: is the clock of this machine right\?/)
  })

  it('a key of another certificate', () => {
    expect(reading({ keyPath: other.keyPath })).toThrow(
      /tls\.key-path: the key in .*other\.key is not that of the certificate in .*used\.pem/,
    )
  })

  it('files that are missing or hold something else', () => {
    expect(reading({ certificatePath: join(folder, 'nothing') })).toThrow(
      /tls\.certificate-path: .*cannot be read: ENOENT/,
    )
    expect(reading({ certificatePath: files.keyPath })).toThrow(/tls\.certificate-path: .*holds no certificate in PEM/)
    expect(reading({ keyPath: files.certificatePath })).toThrow(
      /tls\.key-path: .*holds no private key without a password/,
    )
  })

  it('a chain whose further certificates are cut short, which no server would begin with', () => {
    const certificatePath = join(folder, 'cut.pem')
    const further = readFileSync(other.certificatePath, 'utf8')
    writeFileSync(certificatePath, pem(files) + further.slice(0, further.length / 2))
    const read = (): unknown => readTlsFiles({ ...files, certificatePath }, Date.now())
    expect(read).toThrow(/tls\.certificate-path: .*cut\.pem cannot be used by a server: /)
  })

  it('one of the two settings alone', () => {
    expect(() => tlsFilesOf({ ...defaultSettings(), 'tls.key-path': 'x' })).toThrow(
      'tls.certificate-path is empty, but tls.key-path is set: TLS needs both, and none turns it off',
    )
    expect(tlsFilesOf(defaultSettings())).toBeUndefined()
  })
})

function hostPort(address: string | undefined): { readonly host: string; readonly port: number } {
  const [host = '', port = ''] = (address ?? '').split(':')
  return { host, port: Number(port) }
}
