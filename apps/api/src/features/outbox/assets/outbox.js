// The outbox works without this file. With it, times are shown in the reader's zone and the newest page of
// the list follows what arrives.

const pollMs = 3000
const timeFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

const showLocalTimes = (root) => {
  for (const time of root.querySelectorAll('time[datetime]')) {
    time.title = time.textContent
    time.textContent = timeFormat.format(new Date(time.dateTime))
  }
}

// Only on the newest page: older ones do not change.
const live = document.getElementById('live')

const showState = (state, text) => {
  // A status region is read out at every change, so an unchanged one is left alone.
  if (live.dataset.state === state && live.textContent === text) return
  live.dataset.state = state
  live.textContent = text
}

/** Puts a newer list in place of the shown one, keeping the keyboard where it was. */
const showList = (fresh) => {
  const shown = document.getElementById('messages')
  if (fresh === null || fresh.dataset.newest === shown.dataset.newest) return
  const focused = shown.contains(document.activeElement) ? document.activeElement.id : ''
  showLocalTimes(fresh)
  shown.replaceWith(fresh)
  if (focused !== '') document.getElementById(focused)?.focus({ preventScroll: true })
}

/** Reads the page once more. Gives whether it makes sense to go on: not when access was taken away. */
const poll = async () => {
  try {
    const response = await fetch(location.pathname + location.search, { cache: 'no-store' })
    if (response.ok) {
      const page = new DOMParser().parseFromString(await response.text(), 'text/html')
      showList(page.getElementById('messages'))
      showState('on', 'Live')
    } else if (response.status === 403) {
      // The server has restarted, so the cookie is of no use any more. The page says what to do.
      location.reload()
    } else showState('off', 'Not updating')
    return response.ok || response.status >= 500
  } catch {
    showState('off', 'Server not reachable')
    return true
  }
}

const follow = async () => {
  if (document.visibilityState === 'hidden' || (await poll())) setTimeout(follow, pollMs)
}

showLocalTimes(document)
if (live !== null) {
  showState('on', 'Live')
  setTimeout(follow, pollMs)
}
