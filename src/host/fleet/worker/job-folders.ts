import { isAbsolute, relative, sep } from "node:path";
import {
  checkMcpServers,
  type HubOptions,
  type OpenRequest,
  type PolicySession,
} from "../../hub/index.ts";
import { RpcError } from "../../../transport/rpc/index.ts";
import { type JsonObject, stringField, stringsField } from "../../../base/index.ts";
import { FleetSessionAgent } from "./agent-link.ts";

export interface JobFolder {
  readonly session: string;
  /** The policy of its session; undefined if the job has no rules. */
  readonly policy: HubOptions["policy"];
}

/** The folders of running jobs. Each belongs to the session of its job, and to no other. */
export class JobFolders {
  readonly #folders = new Map<string, JobFolder>();

  add(folder: string, job: JobFolder): void {
    this.#folders.set(folder, job);
  }

  remove(folder: string): void {
    this.#folders.delete(folder);
  }

  policyOf({ roots }: Pick<PolicySession, "roots">): HubOptions["policy"] {
    return this.#folders.get(roots[0] ?? "")?.policy;
  }

  /** Confines a job to its folder. `check` judges all other sessions. Rejects with RpcError. */
  async checkOpen(
    request: OpenRequest,
    check: NonNullable<HubOptions["checkOpen"]>,
  ): Promise<JsonObject> {
    const { agent } = request.client;
    const job = this.#folders.get(stringField(request.params, "cwd") ?? "");
    if (job && agent instanceof FleetSessionAgent && agent.session === job.session) {
      const { additionalDirectories: _outside, ...params } = request.params;
      checkMcpServers(params["mcpServers"]);
      return params;
    }
    const params = await check(request);
    const more = stringsField(params, "additionalDirectories");
    if ([stringField(params, "cwd") ?? "", ...more].some((path) => this.#isInJob(path))) {
      throw RpcError.invalidParams("the folder belongs to a job");
    }
    return params;
  }

  #isInJob(path: string): boolean {
    return [...this.#folders.keys()].some((folder) => {
      const way = relative(folder, path);
      return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
    });
  }
}
