import type { Check } from './commands/doctor/check.ts'
import type { OwnerState } from './commands/standby/role.ts'
import type { ShownSetting } from './config.ts'
import type { ByteBudget } from './core/byte-budget.ts'
import type { MoveWorld } from './features/catalogue/model-moves/world.ts'
import type { OpenNodeClient } from './features/nodes/departures/world.ts'
import type { NodeSecrets } from './features/nodes/protocol/schema.ts'
import type { NodeDoor } from './http/node-door.ts'
import type { InstallPorts } from './install.ts'
import type { Embedder } from './platform/embedder/embedder.ts'
import type { BringStep } from './platform/models/bring.ts'
import type { ModelFolder } from './platform/models/model-set.ts'
import type { ModelShelf } from './platform/models/shelf.ts'
import type { FileDownloads } from './platform/outbound/downloads.ts'
import type { Pages } from './platform/outbound/pages.ts'
import type { PictureFetcher } from './platform/pictures/fetch.ts'
import type { PictureFiles } from './platform/pictures/kept.ts'
import type { WorkFiles } from './platform/work-files.ts'

/** Everything that touches the world. The commands bring the real ones, tests bring their own. */
export interface Ports extends InstallPorts {
  /** The model in use at the start. */
  embedder: Embedder
  /** What a move to another model needs of this machine. */
  moveWorld: MoveWorld
  /** Starts the processes of another model. @throws Error for a folder that cannot be read. */
  openModel(folder: ModelFolder): Embedder
  /** Bounds the bodies and pictures that are in memory at a time; the fetcher takes from it, too. */
  budget: ByteBudget
  fetcher: PictureFetcher
  /** Brings the files of feeds. */
  downloads: FileDownloads
  /** Looks at pages of shops. */
  pages: Pages
  files: PictureFiles
  /** Large bodies while they arrive and are read. */
  bodyFiles: WorkFiles
  /** Pictures that belong to jobs. */
  jobFiles: WorkFiles
  /** The encoded picture of a demo product. */
  readDemoPicture(name: string): Promise<Uint8Array>
  /** Free share of the data folder's disk, 0 to 1. */
  readFreeDiskShare(): Promise<number>
  /** Checks settings, folder, disk, service, clock and mail server, as `lookalike doctor` does, and holds up nothing. */
  examine(): Promise<Check[]>
  /** Looks through the whole database without holding anybody up. @returns what is wrong with it. */
  findDamage?(): Promise<string[]>
  /** The most memory of the vectors of all stores; without it what the machine can give. */
  vectorMemoryBytesMax?: number
  /** The models that lie on this machine. */
  shelf: Pick<ModelShelf, 'list' | 'find' | 'remove'>
  /** How the copies of the database stand; absent where nothing is copied. */
  readCopies?(): OwnerState
  /** Downloads a known model, tries it, and puts it on the shelf. */
  fetchModel(name: string, tell: (step: BringStep) => void, stop: AbortSignal): Promise<void>
  /** Speaks with another node, whose certificate is known; without it no store moves there. */
  openNode?: OpenNodeClient | undefined
  /** How other nodes reach this one; without it none do. */
  nodeDoor?: NodeDoor | undefined
  /** Reads the secrets of the install, for its standby. */
  readNodeSecrets?(): Promise<NodeSecrets['files']>
  /** Signs the access tokens. */
  tokenSecret: string
  /** What commands on this machine show to act as the operator; without one none can. */
  operatorKey?: string
  /** The configuration as it may be shown; by default without the sources. */
  settings?: readonly ShownSetting[]
}
