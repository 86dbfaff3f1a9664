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
  if ('places' in data) {
    const { query, places, into } = data
    scorePlaces(workspaces, places, into, (own, some, scores) => own.scanPlaces(query, some, scores))
  } else {
    const { queries, into, blocks } = data
    for (const { mean, from, to } of data.parts) scanParts(workspaces, queries, mean, blocks, from, to, into)
  }
  self.postMessage('done')
}
