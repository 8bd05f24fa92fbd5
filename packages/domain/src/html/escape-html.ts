const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/**
 * Escapes a text for the content of an HTML element or a quoted attribute value. Not safe for unquoted attribute values.
 * Source: OWASP Cross Site Scripting Prevention Cheat Sheet, "Output Encoding for HTML Contexts".
 */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? character)
