import { Window } from 'happy-dom'
import type { ReactNode } from 'react'
import { onTestFinished, vi } from 'vitest'

/** A rendered component. */
export interface Rendered {
  text(): string
  /** Waits until the condition holds. */
  until(condition: () => boolean): Promise<void>
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
  onTestFinished(() => root.unmount())

  const text = () => window.document.body.textContent ?? ''
  const until: Rendered['until'] = (condition) =>
    vi.waitFor(() => {
      if (!condition()) throw new Error(`Not yet: ${text()}`)
    })
  await until(() => text() !== '')
  return { text, until }
}
