const loopbackNames = new Set(['127.0.0.1', 'localhost', '[::1]'])

/** Returns whether a URL is safe from eavesdropping: it uses TLS or stays on this machine. */
export const isSecureUrl = (value: string): boolean => {
  if (!URL.canParse(value)) return false
  const { protocol, hostname } = new URL(value)
  return protocol === 'https:' || (protocol === 'http:' && loopbackNames.has(hostname))
}
