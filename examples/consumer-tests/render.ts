import { Window } from 'happy-dom'
import type { ReactNode } from 'react'
import { onTestFinished, vi } from 'vitest'

/** A rendered component. */
export interface Rendered {
  text(): string
  /** Waits until the condition holds. */
  until(condition: () => boolean): Promise<void>
}

// After `unmount`, React still does some work asynchronously and uses the globals, such as `window`. Vitest removes these
// globals after the test, so the test must wait for React first.
const finishWork = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate)
}

/** Renders a component on a new page and unmounts it after the test. */
export const render = async (element: ReactNode): Promise<Rendered> => {
  const window = new Window()
  vi.stubGlobal('window', window)
  vi.stubGlobal('document', window.document)
  // React reads these globals when it is loaded, so it is imported after they are set.
  const { createRoot } = await import('react-dom/client')
  const root = createRoot(window.document.body as unknown as HTMLElement)
  root.render(element)
  onTestFinished(async () => {
    root.unmount()
    await finishWork()
  })

  const text = () => window.document.body.textContent ?? ''
  const until: Rendered['until'] = (condition) =>
    vi.waitFor(() => {
      if (!condition()) throw new Error(`Not yet: ${text()}`)
    })
  await until(() => text() !== '')
  return { text, until }
}
