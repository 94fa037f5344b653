/** What the database takes on the disk, and how its background work keeps up. */
import { readdir, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { Meter, Reading } from '../../../core/meter.ts'
import type { RocksStore } from '../../../store/rocks/rocks-store.ts'
import { readTableFile, type Table } from '../../../store/rocks/table-properties.ts'

/** Table files are never changed: each is read once. Compaction removes one while the folder is read now and then. */
class TableFiles {
  readonly #folder: string
  #known = new Map<string, Table>()

  constructor(folder: string) {
    this.#folder = folder
  }

  async read(): Promise<Iterable<Table>> {
    const names = (await readdir(this.#folder)).filter((name) => name.endsWith('.sst'))
    const tables = new Map<string, Table>()
    for (const name of names) {
      const table = this.#known.get(name) ?? this.#tryRead(name)
      if (table !== undefined) tables.set(name, table)
    }
    this.#known = tables
    return tables.values()
  }

  /** One that is just being written has no end yet, and one that was removed is none of the database any more. */
  #tryRead(name: string): Table | undefined {
    try {
      return readTableFile(join(this.#folder, name))
    } catch {
      return undefined
    }
  }
}

const sumByColumn = (
  tables: Iterable<Table>,
  value: (table: Table) => number,
): readonly Reading<readonly ['column']>[] => {
  const sums = new Map<string, number>()
  for (const table of tables) sums.set(table.column, (sums.get(table.column) ?? 0) + value(table))
  return [...sums].map(([column, sum]) => [sum, column])
}

/** Finds the time in `rocksdb.dbstats`: "Cumulative stall: 00:01:02.345 H:M:S, 0.1 percent". */
const STALL = /^Cumulative stall: (\d+):(\d+):(\d+\.\d+) H:M:S/m

const stallSeconds = (statistics: string): number => {
  const [, hours, minutes, seconds] = STALL.exec(statistics) ?? []
  return Number(hours ?? 0) * 3_600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0)
}

const PROPERTIES = [
  ['nat_database_running_compactions', 'Compactions that run', 'rocksdb.num-running-compactions'],
  ['nat_database_running_flushes', 'Memtables that are being written to files', 'rocksdb.num-running-flushes'],
  ['nat_database_write_stopped', '1 while RocksDB takes no writes', 'rocksdb.is-write-stopped'],
  [
    'nat_database_delayed_write_bytes_per_second',
    'Rate to which RocksDB slows writes; 0 while it does not',
    'rocksdb.actual-delayed-write-rate',
  ],
  ['nat_database_background_errors', 'Errors of background work since the start', 'rocksdb.background-errors'],
] as const

export const registerDatabaseFigures = (meter: Meter, store: RocksStore, folder: string): void => {
  const files = new TableFiles(folder)
  const labels = ['column'] as const
  meter.gauge({ name: 'nat_database_bytes', help: 'Bytes of table files by column', labels }, async () =>
    sumByColumn(await files.read(), ({ bytes }) => bytes),
  )
  meter.gauge({ name: 'nat_database_files', help: 'Table files by column', labels }, async () =>
    sumByColumn(await files.read(), () => 1),
  )
  for (const [name, help, property] of PROPERTIES) {
    meter.gauge({ name, help }, () => [[Number(store.property(property)) || 0]])
  }
  meter.counted(
    { name: 'nat_database_stall_seconds_total', help: 'Time for which RocksDB held writes up since the start' },
    () => [[stallSeconds(store.property('rocksdb.dbstats'))]],
  )
  meter.gauge({ name: 'nat_disk_free_bytes', help: 'Free on the disk of the database' }, async () => {
    const { bavail, bsize } = await statfs(folder)
    return [[bavail * bsize]]
  })
}
