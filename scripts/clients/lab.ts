import type { Packages } from './install.ts'
import type { FakeModel } from './model/model.ts'
import type { Processes } from './processes.ts'

/** What is needed to try a client. */
export interface Lab {
  readonly processes: Processes
  readonly packages: Packages
  readonly model: FakeModel
  /** A folder for this client alone. */
  readonly folder: string
}
