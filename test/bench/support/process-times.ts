/** Processor time of processes, from /proc. */
import { readFileSync } from 'node:fs'

/** The ticks of the kernel's clock for accounting. */
const TICKS_A_SECOND = 100

const read = (pid: number): number => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND
  } catch {
    return 0
  }
}

/** Seconds since the start of each, by the names given, with this process as `generator`. */
export const cpuSeconds = (processes: ReadonlyMap<string, number>): ReadonlyMap<string, number> => {
  const { user, system } = process.cpuUsage()
  return new Map([
    ...[...processes].map(([name, pid]) => [name, read(pid)] as const),
    ['generator', (user + system) / 1e6],
  ])
}
