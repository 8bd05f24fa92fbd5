import type { OutputStream } from '../io.ts'

/** A progress indicator. */
export interface Progress {
  /** Replaces the indicator's text. */
  update(text: string): void
  /** Removes the indicator until the next `update`. */
  pause(): void
  /** Removes the indicator for good. */
  stop(): void
}

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const delayMs = 1_000
const frameMs = 100

/** On a terminal, shows a spinner and a text after one second. Writes nothing to a pipe or a file. */
export const startProgress = (stream: OutputStream, text: string, isShown: boolean): Progress => {
  if (!isShown || stream.isTTY !== true) return { update: () => {}, pause: () => {}, stop: () => {} }
  const startedAt = performance.now()
  let current = text
  let frame = 0
  let isVisible = false
  let isPaused = false
  const clear = () => {
    if (isVisible) stream.write('\r\x1b[2K')
    isVisible = false
  }
  const timer = setInterval(() => {
    if (isPaused || performance.now() - startedAt < delayMs) return
    const line = [...`${frames[frame++ % frames.length]} ${current}`].slice(0, (stream.columns || 80) - 1).join('')
    stream.write(`\r\x1b[2K${line}`)
    isVisible = true
  }, frameMs)
  timer.unref()
  return {
    update: (next) => {
      current = next
      isPaused = false
    },
    pause: () => {
      isPaused = true
      clear()
    },
    stop: () => {
      clearInterval(timer)
      clear()
    },
  }
}
