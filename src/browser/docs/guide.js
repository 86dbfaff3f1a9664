// Helps readers of the guide to find and to copy: examples name the address by which this service was reached, and each has a button.
// Without this script the guide is all there, with the default address.

import { addGuideSearch } from './guide-search.js'

/** The addresses that examples of the guide use for the service: that of a fresh install, and that of a shop's server. */
const EXAMPLE_ADDRESSES = /https:\/\/search\.shop\.example|(?:http:\/\/)?localhost:8080\b/g

const COPY = 'Copy'
const SHOWN_MS = 2_000

/** A folder of pages has no service. */
const isServed = window.location.protocol !== 'file:'

function nameThisService(code) {
  const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT)
  while (texts.nextNode()) {
    const text = texts.currentNode
    const { data } = text
    const named = isServed ? data.replace(EXAMPLE_ADDRESSES, window.location.origin) : data
    if (named !== data) text.data = named
  }
}

/** Copies a text. Without https browsers have no clipboard for scripts, so there the text is selected instead. */
async function copy(code) {
  try {
    await navigator.clipboard.writeText(code.textContent.trimEnd())
    return 'Copied'
  } catch {
    window.getSelection().selectAllChildren(code)
    return 'Selected'
  }
}

function addButton(pre, code) {
  const sample = document.createElement('div')
  sample.className = 'sample'
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = COPY
  button.addEventListener('click', async () => {
    button.textContent = await copy(code)
    setTimeout(() => {
      button.textContent = COPY
    }, SHOWN_MS)
  })
  pre.replaceWith(sample)
  sample.append(pre, button)
}

for (const code of document.querySelectorAll('article pre > code')) {
  nameThisService(code)
  addButton(code.parentElement, code)
}

addGuideSearch()
