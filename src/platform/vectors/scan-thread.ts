/** Entry of a thread that scores blocks and places for the event loop. scripts/generate/kernel.ts bundles it. */
import type { ThreadRequest } from './scan-threads.ts'
import { scanParts, scorePlaces, Workspace } from './workspace.ts'

declare const self: {
  onmessage: (event: { data: ThreadRequest }) => void
  postMessage(message: 'done'): void
}

let module: WebAssembly.Module | undefined
const workspaces: Workspace[] = []

self.onmessage = ({ data }) => {
  module ??= data.module
  for (const { memory, workspace } of data.memories) {
    workspaces.push(new Workspace(module as WebAssembly.Module, memory, workspace, data.dimension))
  }
  const { query } = data
  if ('places' in data)
    scorePlaces(workspaces, data.places, data.into, (own, places, into) =>
      own.scanPlaces(query, places, into),
    )
  else
    for (const { mean, from, to } of data.parts)
      scanParts(workspaces, query, mean, data.blocks, from, to, data.into)
  self.postMessage('done')
}
