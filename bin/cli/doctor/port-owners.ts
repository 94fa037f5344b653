/** Who listens on a port of this machine, as Linux tells it. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

const LISTENING = '0A'
const MAX_COMMAND = 120

const readText = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // Another system, or a process that has ended.
    return ''
  }
}

/** `table` is the text of /proc/net/tcp or tcp6. */
export const listeningInodes = (table: string, port: number): readonly string[] => {
  const wanted = port.toString(16).toUpperCase().padStart(4, '0')
  return table.split('\n').flatMap((line) => {
    const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/)
    return state === LISTENING && local.endsWith(`:${wanted}`) && inode !== undefined ? [inode] : []
  })
}

const socketsOf = (pid: string): readonly string[] => {
  try {
    return readdirSync(`/proc/${pid}/fd`).map((name) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${name}`)
      } catch {
        return ''
      }
    })
  } catch {
    // The process is another user's, and its files cannot be read.
    return []
  }
}

/** Such as `process 812 (nginx: master)`. Undefined where the system does not tell: the process is of another user. */
export const portOwner = (port: number): string | undefined => {
  const inodes = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((path) => listeningInodes(readText(path), port))
  if (inodes.length === 0) return undefined
  const wanted = new Set(inodes.map((inode) => `socket:[${inode}]`))
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    if (!socketsOf(pid).some((socket) => wanted.has(socket))) continue
    const command = readText(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim()
    return `process ${pid} (${command.slice(0, MAX_COMMAND)})`
  }
  return undefined
}
