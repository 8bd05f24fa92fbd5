const loopbackNames = new Set(['127.0.0.1', 'localhost', '[::1]'])

/** Whether what travels to and from a URL is safe from others: it is encrypted, or does not leave this machine. */
export const isSecureUrl = (value: string): boolean => {
  if (!URL.canParse(value)) return false
  const { protocol, hostname } = new URL(value)
  return protocol === 'https:' || (protocol === 'http:' && loopbackNames.has(hostname))
}
