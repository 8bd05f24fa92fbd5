import { createTransport, type Transporter } from 'nodemailer'

/** Opens a pool of nodemailer connections to a mail server on this machine. */
export const openTransport = (port: number, connections: number): Transporter =>
  createTransport({ host: '127.0.0.1', port, secure: false, ignoreTLS: true, pool: true, maxConnections: connections })
