/** A histogram of Prometheus over values that were counted elsewhere. */
import { Histogram } from "prom-client";
import type { Distributions, Series, Spread } from "../../../core/observe/metrics/series.ts";
import type { MetricName } from "./metric-names.ts";

type Exposed = Awaited<ReturnType<Histogram["get"]>>;

export class TalliedHistogram extends Histogram {
  readonly #metric: MetricName;
  readonly #distributions: Distributions;

  constructor(metric: MetricName, distributions: Distributions) {
    const { name, help, labels } = metric;
    super({ name, help, labelNames: labels, registers: [] });
    this.#metric = metric;
    this.#distributions = distributions;
  }

  override async get(): Promise<Exposed> {
    const { name, help } = this.#metric;
    const { series } = this.#distributions;
    const values = series.flatMap((one) => this.#valuesOf(one));
    // The library's types leave out what its registry does not need.
    return { name, help, type: "histogram", values } as unknown as Exposed;
  }

  /** What the registry asks instead, where there is one. */
  async getForPromString(): Promise<Exposed> {
    return this.get();
  }

  #valuesOf({ labels, value: { counts, sum } }: Series<Spread>): Exposed["values"] {
    const { name } = this.#metric;
    let total = 0;
    const buckets = counts.map((count, at) => {
      total += count;
      const le = this.#distributions.bounds[at] ?? "+Inf";
      return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: total };
    });
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: sum },
      { metricName: `${name}_count`, labels, value: total },
    ];
  }
}
