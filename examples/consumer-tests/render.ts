import { Window } from 'happy-dom'
import type { ReactNode } from 'react'
import { onTestFinished, vi } from 'vitest'

/** A component on a page. */
export interface Rendered {
  text(): string
  /** Waits until something is so. */
  until(condition: () => boolean): Promise<void>
}

/** Puts a component on a page of its own, and takes it away when the test is over. */
export const render = async (element: ReactNode): Promise<Rendered> => {
  const window = new Window()
  vi.stubGlobal('window', window)
  vi.stubGlobal('document', window.document)
  // Only once there is a document: React looks for one when it is loaded.
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
