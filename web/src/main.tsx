import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import './styles/tokens.css'
import './styles/base.css'
import { App } from './app/app.tsx'
import { preload } from './app/route-chunks.tsx'
import { LoadingScreen } from './components/loading-screen.tsx'

const element = document.getElementById('root')
if (!element) throw new Error('index.html has no element with the id "root"')

const root = createRoot(element)
const show = () =>
  root.render(
    <StrictMode>
      <App />
    </StrictMode>,
  )

// The first screen starts with all of its code, or without any of it.
const arriving = preload(window.location.pathname)
if (arriving) {
  root.render(<LoadingScreen />)
  void arriving.then(show)
} else show()
