/** The meter of a process, over prom-client: what is told here, Prometheus is shown. */
import {
  AggregatorRegistry,
  Counter as PromCounter,
  collectDefaultMetrics,
  Gauge,
  Histogram as PromHistogram,
  Registry,
} from 'prom-client'
import type {
  Counter,
  Distribution,
  Figure,
  Histogram,
  LabelValues,
  Meter,
  Read,
  Reading,
} from '../../../core/meter.ts'

/** Series of one figure: validators, methods and columns are fewer, and what clients or peers choose is no label. */
const MAX_SERIES = 300
const OTHER = 'other'

/** What a meter shows, for another process. */
export type Figures = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

type Names = readonly string[]
type Values = Readonly<Record<string, string>>

const nameValues = (names: Names, values: readonly string[]): Values =>
  Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']))

/** The series of a figure by the values of its labels: each is made once, and those beyond the bound are one. */
class Series<Child> {
  readonly #names: Names
  readonly #make: (values: Values) => Child
  readonly #children = new Map<string, Child>()

  constructor(names: Names, make: (values: Values) => Child) {
    this.#names = names
    this.#make = make
  }

  of(values: readonly string[]): Child {
    const key = values.length === 1 ? (values[0] as string) : values.join('\n')
    const known = this.#children.get(key)
    if (known !== undefined) return known
    if (this.#children.size >= MAX_SERIES && values.some((value) => value !== OTHER)) {
      return this.of(values.map(() => OTHER))
    }
    const child = this.#make(nameValues(this.#names, values))
    this.#children.set(key, child)
    return child
  }
}

export class PrometheusMeter implements Meter {
  readonly #registry = new Registry()

  /** Begins with what Node and the system say of the process. The labels are added to all of its series. */
  constructor(labels: Values = {}) {
    this.#registry.setDefaultLabels(labels)
    collectDefaultMetrics({ register: this.#registry })
  }

  get contentType(): string {
    return this.#registry.contentType
  }

  figures(): Promise<Figures> {
    return this.#registry.getMetricsAsJSON()
  }

  /** All figures in the text format of Prometheus, with those of a process whose series have a label that these have not. */
  async text(ofOther?: Figures): Promise<string> {
    if (ofOther === undefined) return await this.#registry.metrics()
    // No two are alike: all are kept as they are.
    const kept = [await this.figures(), ofOther].map((figures) =>
      figures.map((figure) => ({ ...figure, aggregator: 'first' as const })),
    )
    return await AggregatorRegistry.aggregate(kept).metrics()
  }

  counter<const Labels extends Names>(figure: Figure<Labels>): Counter<Labels> {
    const counter = new PromCounter(this.#describe(figure))
    const series = new Series(figure.labels ?? [], (values) => counter.labels(values))
    return { add: (amount, ...values) => series.of(values).inc(amount) }
  }

  histogram<const Labels extends Names>(figure: Distribution<Labels>): Histogram<Labels> {
    const histogram = new PromHistogram({ ...this.#describe(figure), buckets: [...figure.buckets] })
    const series = new Series(figure.labels ?? [], (values) => histogram.labels(values))
    return { observe: (value, ...values) => series.of(values).observe(value) }
  }

  gauge<const Labels extends Names>(figure: Figure<Labels>, read: Read<Labels>): void {
    const names = figure.labels ?? []
    new Gauge({
      ...this.#describe(figure),
      async collect() {
        const readings = await read()
        this.reset()
        for (const [value, values] of bounded(readings)) this.set(nameValues(names, values), value)
      },
    })
  }

  counted<const Labels extends Names>(figure: Figure<Labels>, read: Read<Labels>): void {
    const names = figure.labels ?? []
    new PromCounter({
      ...this.#describe(figure),
      async collect() {
        const readings = await read()
        this.reset()
        for (const [value, values] of bounded(readings)) this.inc(nameValues(names, values), value)
      },
    })
  }

  #describe({ name, help, labels = [] }: Figure<Names>): {
    readonly name: string
    readonly help: string
    readonly labelNames: string[]
    readonly registers: Registry[]
  } {
    return { name, help, labelNames: [...labels], registers: [this.#registry] }
  }
}

const bounded = <Labels extends Names>(
  readings: readonly Reading<Labels>[],
): readonly (readonly [number, readonly string[]])[] =>
  readings.slice(0, MAX_SERIES).map(([value, ...values]) => [value, values as LabelValues<Labels>])
