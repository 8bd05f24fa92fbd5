import type { Flowpost, NotificationWithAttempts } from '@flowpost/client'
import { useEffect, useState } from 'react'

/** Shows the deliveries of a notification, and polls until it is completed. */
export const DeliveryStatus = ({ flowpost, id }: { flowpost: Flowpost; id: string }) => {
  const [notification, setNotification] = useState<NotificationWithAttempts>()
  useEffect(() => {
    const controller = new AbortController()
    const follow = async () => {
      for (;;) {
        const current = await flowpost.notifications.get(id, { wait: 25 }, { signal: controller.signal })
        setNotification(current)
        if (current.status !== 'queued' && current.status !== 'sending') return
      }
    }
    follow().catch(() => {})
    return () => controller.abort()
  }, [flowpost, id])

  if (!notification) return <p>Loading</p>
  return (
    <ul>
      {notification.deliveries.map(({ id: delivery, target, status, failure }) => (
        <li key={delivery}>{failure ? `${target}: ${status}, ${failure.detail}` : `${target}: ${status}`}</li>
      ))}
    </ul>
  )
}
