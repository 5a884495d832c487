import { Counter, formatMetric } from "../../hub/index.ts";
import type { FleetHost } from "../hosts.ts";
import type { WorkerEvent } from "../worker/options.ts";

/** Counts the events of a worker, for Prometheus. */
export class WorkerMetrics {
  readonly #opened = new Counter();
  readonly #lost = new Counter();
  readonly #recovered = new Counter();
  readonly #jobs = new Counter();
  readonly #failures = new Counter();

  /** For `WorkerOptions.onEvent`. */
  event(event: WorkerEvent): void {
    switch (event.type) {
      case "session_opened":
        return this.#opened.add();
      case "session_lost":
        return this.#lost.add();
      case "session_recovered":
        return this.#recovered.add();
      case "job_started":
        return this.#jobs.add();
      case "failed":
        return this.#failures.add();
      case "session_closed":
      case "job_ended":
        return undefined;
    }
  }

  /** Everything, in the text format of Prometheus. */
  format(status: FleetHost): string {
    const gauge = (name: string, help: string, value: number): string =>
      formatMetric(name, "gauge", help, [{ value }]);
    return [
      gauge("dragoman_sessions", "Sessions that the worker owns.", status.sessions),
      gauge("dragoman_sessions_max", "Sessions that it may own at once.", status.maxSessions),
      gauge("dragoman_turns_running", "Sessions in which a turn is running.", status.turns),
      gauge("dragoman_jobs_running", "Jobs that are running.", status.jobs),
      gauge(
        "dragoman_entries_unacknowledged",
        "Entries of logs that the engine has not acknowledged.",
        status.unacknowledged,
      ),
      this.#opened.format("dragoman_sessions_opened_total", "Sessions that were opened."),
      this.#lost.format("dragoman_sessions_lost_total", "Sessions that the worker lost."),
      this.#recovered.format(
        "dragoman_sessions_recovered_total",
        "Sessions of dead workers whose turns were closed.",
      ),
      this.#jobs.format("dragoman_jobs_started_total", "Jobs that were started."),
      this.#failures.format("dragoman_worker_failures_total", "Attempts that failed."),
      gauge("dragoman_draining", "1 while no new work is taken.", status.isDraining ? 1 : 0),
    ].join("");
  }
}
