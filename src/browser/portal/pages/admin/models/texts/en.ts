import { pluralsIn } from '../../../../texts/plurals.ts'

const { counted } = pluralsIn('en')

export const texts = {
  hint: 'The model turns pictures and words into what is compared. Searches go on while the stores move to another one.',
  modelDirSet:
    'The setting MODEL_DIR chooses the model, so it cannot be changed here. Remove the setting and restart the service first.',
  here: 'On this machine',
  known: 'Can be fetched',
  allHere: 'Every known model is on this machine.',
  states: { in_use: 'In use', here: 'Ready', known: 'Not here', broken: 'Cannot be used' },
  bundled: 'part of the executable',
  statuses: { confirmed: 'Hashes confirmed', unconfirmed: 'Hashes unconfirmed' },
  license: 'Licence',
  languages: 'Languages',
  size: 'On the disk',
  memory: 'Memory',
  speed: 'Speed',
  dimension: 'Length of a vector',
  speedOf: (picture: string, text: string) => `${picture} ms a picture, ${text} ms a text`,
  notMeasured: 'not measured',
  suits: {
    'clip-vit-base-patch32':
      'Any shop on a small machine: the first step up from the bundled model, at the lowest cost.',
    'clip-vit-base-patch16':
      'Shops whose products differ in small details, such as patterns and prints, and whose machine has time to index.',
    'mobileclip-s0': 'Trials on small machines; its licence is for research.',
    'siglip-base-patch16-224':
      'Shops with many kinds of products that are searched with words; the best general model of this list.',
    'marqo-fashionsiglip': 'Shops that sell clothes, shoes and accessories.',
    'marqo-ecommerce-b':
      'Shops and marketplaces with goods of every kind; it was trained on pictures and titles of products.',
  } as Readonly<Record<string, string>>,

  fetch: (size: string) => `Fetch it (${size})`,
  fetchAtCommandLine:
    'Nobody could confirm the hashes of its files. It is fetched at the command line, which shows them and asks for your trust:',
  filesAtCommandLine: 'Prints which files to download, from where, and their hashes:',
  fetching: (name: string) => `${name} is being fetched`,
  fetchSteps: {
    download: 'Downloading',
    copy: 'Copying',
    load: 'Loading it for the first time',
    measure: 'Measuring accuracy and speed',
    fit: 'Fitting its scores',
  },
  lastFetch: 'Last download',
  cancelFetch: 'Stop the download',
  fetchEnds: {
    done: (name: string) => `${name} is here and can be used.`,
    cancelled: (name: string) => `The download of ${name} was stopped. The next one goes on from there.`,
    failed: (name: string) => `${name} could not be fetched.`,
  },
  offline:
    'OFFLINE is set, so nothing is fetched. Download the files on another machine, bring their folder here, for example on a USB stick, and add it:',
  withoutNetwork: 'Without a network, bring the folder here, for example on a USB stick, and add it:',
  ownFolder: 'Another model',
  ownFolderHint:
    'Any export of a CLIP, MobileCLIP or SigLIP model for transformers.js can be added from a folder on this machine. It is tried before it appears here:',
  guide: 'Which model, and what its folder must hold',

  use: 'Move to it',
  useSure: (name: string) => `Move all stores to ${name}?`,
  useNow: (name: string) => `Move to ${name}`,
  useHappens:
    'All pictures are embedded again in the background, behind all other work. Until a store is done, its searches answer from the present model; nothing goes missing.',
  useBack:
    'You can cancel at any time. For seven days after the move you can go back at once, or you confirm it earlier.',
  useChecks: 'The saved checks of the stores run before and after, so that you see what has changed.',
  useTime: 'Time',
  useTimeOf: (time: string, pictures: string) =>
    `about ${time} for ${counted(pictures, 'picture', 'pictures')}, if the machine does nothing else`,
  useTimeUnknown: 'nobody has measured this model; the time left shows once the move runs',
  useDisk: 'Room on the disk',
  useMemory: 'Memory',
  useMemoryOf: (size: string) => `about ${size} more until the move is confirmed`,
  useChecked: 'The service checks the room before it begins, and refuses where there is too little.',
  changed: 'Somebody was faster, or something has changed. The page now shows what there is.',

  moving: {
    use: (from: string, to: string) => `The stores move from ${from} to ${to}`,
    back: (from: string, to: string) => `The stores go back from ${from} to ${to}`,
    reindex: (_: string, to: string) => `All pictures are embedded again with ${to}`,
  },
  lastMove: 'Last move',
  moveEnds: {
    done: (to: string) => `All stores answer with ${to}.`,
    cancelled: (to: string) => `The move to ${to} was cancelled.`,
    failed: (to: string) => `The move to ${to} has failed. The stores answer as before.`,
  },
  moveStarts: 'It is about to begin.',
  moveWaits: 'It waits and goes on by itself:',
  storesDone: (done: string, all: string) => `Stores: ${done} of ${all}`,
  productsDone: (done: string, all: string) => `Products: ${done} of ${all}`,
  timeLeft: (time: string) => `about ${time} left`,
  progress: 'Progress of the move',
  failed: (count: string) => `Products whose picture could not be had again: ${count}`,
  failedHint: 'Searches by words go on finding them. They are tried again when somebody changes them.',
  furtherFailed: (count: string) => `and ${count} more`,
  cancelMove: 'Cancel the move',
  cancelSure: 'Cancel the move?',
  cancelHappens: 'Stores that have moved already go back to the former model, whose vectors are still there.',
  goOn: 'Let it go on',

  former: 'The way back',
  formerUntil: (name: string, until: string) =>
    `The vectors of ${name} are kept until ${until}. Until then all stores can go back to it; only what has changed since is embedded first.`,
  back: (name: string) => `Go back to ${name}`,
  backSure: (name: string) => `Go back to ${name}?`,
  backHappens:
    'Every store answers with it as soon as what has changed since the move is embedded; mostly that is at once.',
  confirm: (name: string) => `Keep ${name} for good`,
  confirmSure: (name: string) => `Keep ${name} for good?`,
  confirmHappens: (former: string) =>
    `The vectors of ${former} are deleted, which frees disk and memory. There is no quick way back then.`,

  remove: 'Delete its files',
  removeSure: (name: string) => `Delete the files of ${name}?`,
  removeHappens: (size: string) =>
    `That frees ${size} on the disk. To use it again, somebody must bring it again.`,

  checks: 'Saved checks before and after',
  checksHint:
    'Searches whose right results the people of a store have written down. They run before a store moves and after it.',
  noChecks: 'No store has saved checks. Its people save them in the playground.',
  checksNow: 'Now',
  checksBefore: 'Before',
  checksChange: 'Change',
  pass: (passed: string, total: string) => `${passed} of ${total} pass`,
  notRun: 'Not run yet',
  runsNow: 'Running',
  better: (count: string) => `${count} more`,
  worse: (count: string) => `${count} fewer`,
  same: 'As before',
  store: 'Store',
}
export type Texts = typeof texts
